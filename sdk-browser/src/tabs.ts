import type { Clock, LifecycleHandles, SavedPayload } from '@flagsvc/sdk-core/client';
import type { Stream } from '@flagsvc/sdk-core/stream';
import type { World } from './world.ts';

/** The visible tabs of one origin that want the same answers: one of them fetches for all. */
export interface Tabs {
  /** Comes in: asks the others, and fetches for all as soon as nobody else does. */
  join(handles: LifecycleHandles): void;
  /** Goes out; the next one takes over at once. */
  leave(): void;
  /** Goes over to those who want the answers of the present name. */
  rejoin(): void;
  /** This tab has fetched a payload, or been told that it has the last one already. */
  share(payload?: SavedPayload): void;
}

/** How long a tab waits for the one that fetches, before it fetches itself. */
const PATIENCE_MS = 1000;

/**
 * The tab that holds the lock leads: it fetches, and tells the others what came. The others would fetch only if it
 * were silent for two intervals. Without locks or channels each tab fetches for itself.
 */
export const createTabs = (
  world: World,
  {
    clock,
    pollIntervalMs,
    saved,
    stream,
  }: {
    clock: Clock;
    pollIntervalMs: number;
    saved: SavedPayload | undefined;
    stream?: Stream | undefined;
  },
  name: () => string,
): Tabs => {
  let handles: LifecycleHandles | undefined;
  let channel: BroadcastChannel | undefined;
  let stop = () => {};
  let held = saved;
  let freshAt = -Infinity;
  let leads = false;

  const age = () => clock.monotonic() - freshAt;
  const hear = (payload: SavedPayload | null, { receive, defer }: LifecycleHandles) => {
    if (!payload) {
      // Somebody came in and asks.
      if (leads && held && age() < 1.5 * pollIntervalMs) channel?.postMessage(held);
    } else if (receive(payload)) {
      if (payload.data !== undefined) held = payload;
      freshAt = clock.monotonic();
      if (!leads) defer(2 * pollIntervalMs);
    } else if (payload.data === undefined) channel?.postMessage(null);
  };
  /** The tab that fetches also streams; what comes to it tells the others that it has the last one. */
  const lead = (mine: LifecycleHandles) =>
    stream?.connect({
      ...mine,
      defer(delayMs) {
        freshAt = clock.monotonic();
        channel?.postMessage({ tag: held?.tag });
        mine.defer(delayMs);
      },
    });
  const leave = () => {
    stream?.disconnect();
    stop();
    channel?.close();
    channel = undefined;
    leads = false;
  };
  const join = (mine: LifecycleHandles) => {
    handles = mine;
    const { locks } = world.navigator ?? {};
    if (!locks || !world.BroadcastChannel) return lead(mine);
    const ending = new AbortController();
    const { signal } = ending;
    stop = () => ending.abort();
    channel = new world.BroadcastChannel(name());
    channel.onmessage = ({ data }) => hear(data, mine);
    channel.postMessage(null);
    const plan = (soonMs: number) => mine.defer(age() > pollIntervalMs / 2 ? soonMs : pollIntervalMs - age());
    plan(PATIENCE_MS);
    locks
      .request(name(), { signal }, () => {
        if (signal.aborted) return;
        leads = true;
        plan(0);
        lead(mine);
        // Somebody may have asked while nobody led.
        hear(null, mine);
        return new Promise((resolve) => signal.addEventListener('abort', resolve));
      })
      // Left before it was its turn.
      .catch(() => {});
  };
  return {
    join,
    leave,
    rejoin() {
      freshAt = -Infinity;
      if (!channel) return;
      leave();
      join(handles!);
    },
    share(payload) {
      if (payload) held = payload;
      freshAt = clock.monotonic();
      channel?.postMessage(payload ?? { tag: held?.tag });
    },
  };
};
