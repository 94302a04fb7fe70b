import type { ClientConfig } from './client-options.ts';
import type {
  AbortControllerLike,
  AbortSignalLike,
  Lifecycle,
  LifecycleHandles,
  SavedPayload,
} from './ports.ts';
import type { Stream } from './stream.ts';

/** A message between clients: a payload, the tag of the current payload, or null to request a payload. */
export type PeerMessage = SavedPayload | null;

/** Sends a message to other clients. The leader's messages reach all others; on some channels, so do a follower's. */
export type SendToPeers = (message: PeerMessage) => void;

/** A client's membership in a channel, which connects all clients with the same request. */
export interface PeerMembership {
  /** Aborted when the client leaves the channel. A leader then stops leading, and a follower stops waiting to lead. */
  readonly signal: AbortSignalLike;
  /** Called when this client becomes the leader, because the last leader is gone or clients cannot reach each other. */
  elected(): void;
  /** Called with each message. `reply` reaches the sender and perhaps others. A leader gets null when a client joins. */
  received(message: PeerMessage, reply: SendToPeers): void;
  /** Called when the leader is gone, or other clients no longer find this leader. The call ends the membership. */
  lost(): void;
}

/** Joins a channel. Makes no calls to the membership once its signal is aborted. */
export type JoinChannel = (membership: PeerMembership) => SendToPeers;

/** A client's part in the election of the one client that polls for all. */
export interface LeaderElection {
  /** Joins the channel, and leaves it when disconnected. */
  readonly connect: Lifecycle;
  /** Call it after the request has changed: leaves the channel and joins the channel of the new request. */
  rejoin(): void;
  /** Sends the others this client's payload if it is new, or else a confirmation that it is still current. */
  publish(isNew?: boolean): void;
}

/** How long a client that joins waits for the leader's payload before it sends its own request. */
const PATIENCE_MS = 1000;

/**
 * Elects the one client that polls and streams for all that share a channel (decisions/0015). The leader sends each
 * payload to the others, which poll only if the leader is silent for two intervals.
 */
export const createLeaderElection = (
  { clock, newController, pollIntervalMs }: Pick<ClientConfig, 'clock' | 'newController' | 'pollIntervalMs'>,
  joinChannel: JoinChannel,
  stream: Stream | undefined,
): LeaderElection => {
  let handles: LifecycleHandles;
  let membership: AbortControllerLike | undefined;
  let send: SendToPeers = () => {};
  let isLeader = false;
  /** When the server last confirmed the payload, as far as this client knows. */
  let confirmedAt = -Infinity;

  const ageMs = () => clock.monotonic() - confirmedAt;
  const planPoll = (soonMs: number) =>
    handles.defer(ageMs() > pollIntervalMs / 2 ? soonMs : pollIntervalMs - ageMs());
  const publish = (isNew?: boolean) => {
    confirmedAt = clock.monotonic();
    // A client that has not joined a channel may have no handles yet, because its page was never visible.
    const payload = membership && handles.held();
    // Without a tag, the others could not tell that they already have this payload, so it is sent again.
    if (payload) send(isNew || !payload.tag ? payload : { ...payload, data: undefined });
  };
  const received: PeerMembership['received'] = (message, reply) => {
    if (!message) {
      const payload = handles.held();
      if (isLeader && payload && ageMs() < 1.5 * pollIntervalMs) reply(payload);
    } else if (handles.receive(message)) {
      confirmedAt = clock.monotonic();
      if (!isLeader) handles.defer(2 * pollIntervalMs);
    } else if (message.data === undefined) reply(null);
  };
  const elected = () => {
    isLeader = true;
    planPoll(0);
    stream?.connect({
      ...handles,
      // The stream defers polls only while the payload is current, so a deferral confirms the payload to the others.
      defer(delayMs) {
        publish();
        handles.defer(delayMs);
      },
    });
    // Clients may have joined while there was no leader.
    received(null, send);
  };
  const leave = () => {
    stream?.disconnect();
    membership?.abort();
    membership = undefined;
    isLeader = false;
  };
  const join = () => {
    planPoll(PATIENCE_MS);
    membership = newController();
    send = joinChannel({ signal: membership.signal, elected, received, lost });
  };
  const lost = () => {
    leave();
    join();
  };
  return {
    connect(own) {
      handles = own;
      join();
      return leave;
    },
    rejoin() {
      confirmedAt = -Infinity;
      if (membership) lost();
    },
    publish,
  };
};
