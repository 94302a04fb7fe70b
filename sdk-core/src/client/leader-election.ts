import type { ClientConfig } from './client-options.ts';
import type {
  AbortControllerLike,
  AbortSignalLike,
  Lifecycle,
  LifecycleHandles,
  SavedPayload,
} from './ports.ts';
import type { Stream } from './stream.ts';

/** What clients tell each other: a payload, the tag of the one that is current, or null to ask for a payload. */
export type PeerMessage = SavedPayload | null;

/** Sends a message to other clients: from the leader to all others, and where a channel can, from any to all. */
export type SendToPeers = (message: PeerMessage) => void;

/** A client's membership in a channel, which connects the clients that want the same payload. */
export interface PeerMembership {
  /** Aborted when the client leaves, which gives up its lead or its place in the queue for it. */
  readonly signal: AbortSignalLike;
  /** This client leads: its predecessor is gone, or clients cannot reach each other. */
  elected(): void;
  /** `reply` reaches the sender, and may reach others. A leader gets null when a client joins. */
  received(message: PeerMessage, reply: SendToPeers): void;
  /** The leader, or the lead, is lost, and with it the membership. */
  lost(): void;
}

/** Joins a channel. Calls nothing of the membership once that is aborted. */
export type JoinChannel = (membership: PeerMembership) => SendToPeers;

/** One of the clients of a machine of which a single one polls. */
export interface LeaderElection {
  /** Joins, and leaves when disconnected. */
  readonly connect: Lifecycle;
  /** Leaves the others and joins those that want the present payload, after what is wanted has changed. */
  rejoin(): void;
  /** Tells the others what this client has: a new payload, or that the last one is still current. */
  publish(isNew?: boolean): void;
}

/** How long a client waits for the leader before it fetches itself. */
const PATIENCE_MS = 1000;

/**
 * Elects the one client that polls and streams for all that share a channel (decisions/0015). It sends the
 * others what it gets; they would poll only if it were silent for two intervals.
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
    const payload = handles.held();
    // Without a tag the others could not tell that it is the same.
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
      // Whatever puts off the own poll confirms the payload.
      defer(delayMs) {
        publish();
        handles.defer(delayMs);
      },
    });
    // Clients may have joined while nobody led.
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
