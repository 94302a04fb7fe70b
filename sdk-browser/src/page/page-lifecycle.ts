import {
  type ClientConfig,
  createTurns,
  demand,
  type Lifecycle,
  type LifecycleHandles,
  type SavedPayload,
} from '@flagsvc/sdk-core/client';
import type { BrowserClientOptions } from '../client/options.ts';
import type { PageWorld } from './world.ts';

/**
 * The page and its siblings: the visible tabs of one origin that want the same answers, of which one fetches for all
 * (decisions/0015).
 */
export interface PageLifecycle {
  readonly follow: Lifecycle;
  /** Goes over to those who want the answers of the present name. */
  rejoin(): void;
  /** This tab has fetched a payload, or been told that it has the last one already. */
  share(payload?: SavedPayload): void;
}

/**
 * Silent while the page is hidden, and events leave when it is. A page that is left is hidden first; `pagehide` is
 * for browsers that forget to say so, and `pageshow` for pages that come back whole. Never `unload`, which would keep
 * the page from coming back. Where there is no page, it is as if it were hidden.
 *
 * The tab that holds the lock leads: it fetches, and tells the others what came. The others would fetch only if it
 * were silent for two intervals. Without locks or channels each tab fetches for itself.
 */
export const createPageLifecycle = (
  world: PageWorld,
  config: ClientConfig & Pick<BrowserClientOptions, 'streaming'>,
  name: () => string,
): PageLifecycle => {
  const { clock, pollIntervalMs, streaming } = config;
  demand(
    !streaming || typeof streaming === 'function',
    'streaming',
    'must be that of @flagsvc/sdk-browser/streaming',
  );
  const stream = streaming ? streaming({ ...config, createTurns }) : undefined;
  let handles: LifecycleHandles;
  let channel: BroadcastChannel | undefined;
  /** This tab's place in the queue of those who would lead. */
  let place: AbortController | undefined;
  let freshAt = -Infinity;
  let leads = false;
  let isShown: boolean | undefined;

  const age = () => clock.monotonic() - freshAt;
  const plan = (soonMs: number) =>
    handles.defer(age() > pollIntervalMs / 2 ? soonMs : pollIntervalMs - age());
  const post = (message: unknown) => channel?.postMessage(message);
  const share = (payload?: SavedPayload) => {
    freshAt = clock.monotonic();
    const { tag } = handles.held() ?? {};
    // Without a tag they could not tell that it is the same.
    post(!payload && tag ? { tag } : handles.held());
  };
  const hear = (payload: SavedPayload | null) => {
    if (!payload) {
      // Somebody came in and asks.
      if (leads && age() < 1.5 * pollIntervalMs) post(handles.held());
    } else if (handles.receive(payload)) {
      freshAt = clock.monotonic();
      if (!leads) handles.defer(2 * pollIntervalMs);
    } else if (payload.data === undefined) post(null);
  };
  /** The tab that fetches also streams; what comes to it tells the others that it has the last one. */
  const lead = () => {
    leads = true;
    plan(0);
    stream?.connect({
      ...handles,
      defer(delayMs) {
        share();
        handles.defer(delayMs);
      },
    });
  };
  const leave = () => {
    stream?.disconnect();
    place?.abort();
    channel?.close();
    channel = undefined;
    leads = false;
  };
  const join = async () => {
    const mine = new AbortController();
    try {
      place = mine;
      channel = new world.BroadcastChannel!(name());
      channel.onmessage = ({ data }) => hear(data);
      post(null);
      // Who hears nothing for a second fetches itself.
      plan(1000);
      await world.navigator!.locks!.request(channel.name, mine, () => {
        if (mine.signal.aborted) return;
        lead();
        // Somebody may have asked while nobody led.
        hear(null);
        return new Promise((resolve) => mine.signal.addEventListener('abort', resolve));
      });
    } catch {
      // Left before it was its turn; or there are none, as where there is no storage, and each fetches for itself.
      if (mine.signal.aborted) return;
      leave();
      lead();
    }
  };
  const look = (event?: { readonly type: string }) => {
    const shows = event?.type !== 'pagehide' && world.document?.visibilityState === 'visible';
    // What was recorded on the way out, too.
    if (!shows) void handles.flush(true);
    if (shows === isShown) return;
    isShown = shows;
    if (shows) {
      handles.resume();
      join();
    } else {
      handles.pause();
      leave();
    }
  };
  return {
    follow(mine) {
      const ending = new AbortController();
      handles = mine;
      // Some servers listen to events, too, and would keep every client that ever listened.
      if (world.document) {
        // A controller is as good as options of a listener: it has a `signal`.
        world.document.addEventListener('visibilitychange', look, ending);
        world.addEventListener?.('pagehide', look, ending);
        world.addEventListener?.('pageshow', look, ending);
      }
      look();
      return () => {
        ending.abort();
        leave();
      };
    },
    rejoin() {
      freshAt = -Infinity;
      if (!channel) return;
      leave();
      join();
    },
    share,
  };
};
