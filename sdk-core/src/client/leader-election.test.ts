import { expect, test } from 'vitest';
import { createSimulatedClock, createTestController } from '../testing.ts';
import { createLeaderElection, type PeerMembership, type PeerMessage } from './leader-election.ts';
import type { LifecycleHandles, SavedPayload } from './ports.ts';
import type { Stream } from './stream.ts';

const POLL_MS = 30_000;
const payloadOf = (version: number, tag: string | null = `"v${version}"`): SavedPayload => ({
  data: version,
  tag,
});

/** One client in an election whose channel the test operates. */
const start = () => {
  const clock = createSimulatedClock();
  const sent: PeerMessage[] = [];
  const deferred: number[] = [];
  const memberships: PeerMembership[] = [];
  let held: SavedPayload | undefined;
  const handles = {
    defer: (delayMs: number) => void deferred.push(delayMs),
    held: () => held,
    receive(payload: SavedPayload) {
      if (payload.data === undefined) return held !== undefined && held.tag === payload.tag;
      held = payload;
      return true;
    },
  } as LifecycleHandles;
  let streamed: LifecycleHandles | undefined;
  const stream: Stream = {
    connect(own) {
      streamed = own;
    },
    disconnect() {
      streamed = undefined;
    },
  };
  const election = createLeaderElection(
    { clock, newController: createTestController, pollIntervalMs: POLL_MS },
    (membership) => {
      memberships.push(membership);
      return (message) => void sent.push(message);
    },
    stream,
  );
  const leave = election.connect(handles);
  /** Passes a message from a peer; returns the client's replies. */
  const receive = (message: PeerMessage) => {
    const replies: PeerMessage[] = [];
    memberships.at(-1)!.received(message, (reply) => void replies.push(reply));
    return replies;
  };
  const fetch = (version: number) => {
    held = payloadOf(version);
    election.publish(true);
  };
  return {
    ...{ clock, sent, deferred, memberships, election, leave, receive, fetch },
    membership: () => memberships.at(-1)!,
    held: () => held,
    stream: () => streamed,
  };
};

test('a client that joins polls only if it receives nothing for a second', () => {
  const { deferred, receive } = start();
  expect(deferred).toEqual([1000]);
  receive(payloadOf(1));
  expect(deferred.at(-1)).toBe(2 * POLL_MS);
});

test('a leader polls at once, or an interval after the payload was confirmed', async () => {
  const fresh = start();
  fresh.membership().elected();
  expect(fresh.deferred.at(-1)).toBe(0);
  const successor = start();
  successor.receive(payloadOf(1));
  await successor.clock.advance(10_000);
  successor.membership().elected();
  expect(successor.deferred.at(-1)).toBe(POLL_MS - 10_000);
  const late = start();
  late.receive(payloadOf(1));
  await late.clock.advance(20_000);
  late.membership().elected();
  expect(late.deferred.at(-1)).toBe(0);
});

test('sends each new payload in full, and only the tag of a payload that the server confirmed', () => {
  const { membership, fetch, election, sent } = start();
  membership().elected();
  fetch(1);
  election.publish();
  expect(sent).toEqual([payloadOf(1), { data: undefined, tag: '"v1"' }]);
});

test('sends a confirmed payload in full if it has no tag that could identify it', () => {
  const { membership, receive, election, sent } = start();
  receive(payloadOf(1, null));
  membership().elected();
  election.publish();
  expect(sent.at(-1)).toEqual(payloadOf(1, null));
});

test('publishes nothing before there is a payload', () => {
  const { membership, election, sent } = start();
  membership().elected();
  election.publish();
  expect(sent).toEqual([]);
});

test('publishes nothing before it has joined a channel', () => {
  const sent: PeerMessage[] = [];
  const election = createLeaderElection(
    { clock: createSimulatedClock(), newController: createTestController, pollIntervalMs: POLL_MS },
    () => (message) => void sent.push(message),
    undefined,
  );
  election.publish(true);
  expect(sent).toEqual([]);
});

test('a leader sends its payload to a client that joins, unless the payload is older than one and a half intervals', async () => {
  const { clock, membership, fetch, receive } = start();
  expect(receive(null)).toEqual([]);
  membership().elected();
  expect(receive(null)).toEqual([]);
  fetch(1);
  expect(receive(null)).toEqual([payloadOf(1)]);
  await clock.advance(1.5 * POLL_MS);
  expect(receive(null)).toEqual([]);
});

test('a follower sends nothing to a client that joins', () => {
  const { receive } = start();
  receive(payloadOf(1));
  expect(receive(null)).toEqual([]);
});

test('a new leader publishes the payload of its predecessor, for clients that joined in between', () => {
  const { membership, receive, sent } = start();
  receive(payloadOf(1));
  membership().elected();
  expect(sent).toEqual([payloadOf(1)]);
});

test('requests the payload if it does not have the confirmed tag', () => {
  const { receive, held } = start();
  expect(receive({ data: undefined, tag: '"v2"' })).toEqual([null]);
  expect(receive(payloadOf(2))).toEqual([]);
  expect(receive({ data: undefined, tag: '"v2"' })).toEqual([]);
  expect(held()).toEqual(payloadOf(2));
});

test('only the leader streams, and a deferral of its poll confirms the payload to the others', () => {
  const { membership, fetch, stream, sent, deferred, leave } = start();
  expect(stream()).toBeUndefined();
  membership().elected();
  fetch(1);
  stream()!.defer(25_000);
  expect(sent.at(-1)).toEqual({ data: undefined, tag: '"v1"' });
  expect(deferred.at(-1)).toBe(25_000);
  leave();
  expect(stream()).toBeUndefined();
});

test('a client that loses its leader joins again and waits for the next leader', () => {
  const { membership, memberships, receive, deferred } = start();
  receive(payloadOf(1));
  membership().lost();
  expect(memberships.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  // The payload is fresh, so the next poll is due an interval later.
  expect(deferred.at(-1)).toBe(POLL_MS);
});

test('a leader that loses its lead stops its stream and joins as a follower', () => {
  const { membership, fetch, receive, stream, deferred } = start();
  membership().elected();
  fetch(1);
  membership().lost();
  expect(stream()).toBeUndefined();
  expect(receive(null)).toEqual([]);
  receive(payloadOf(2));
  expect(deferred.at(-1)).toBe(2 * POLL_MS);
});

test('rejoins as if no payload had been confirmed, and does nothing after the client left', () => {
  const { election, fetch, membership, memberships, deferred, leave } = start();
  membership().elected();
  fetch(1);
  election.rejoin();
  expect(memberships.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect(deferred.at(-1)).toBe(1000);
  leave();
  election.rejoin();
  expect(memberships).toHaveLength(2);
});

test('leads at once if the channel elects it while it joins', () => {
  const deferred: number[] = [];
  const election = createLeaderElection(
    { clock: createSimulatedClock(), newController: createTestController, pollIntervalMs: POLL_MS },
    ({ elected }) => {
      elected();
      return () => {};
    },
    undefined,
  );
  election.connect({
    defer: (delayMs) => void deferred.push(delayMs),
    held: () => undefined,
  } as LifecycleHandles);
  expect(deferred).toEqual([1000, 0]);
});
