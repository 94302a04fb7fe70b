import type { Lifecycle } from '@flagsvc/sdk-core/client';
import type { Tabs } from './tabs.ts';
import type { World } from './world.ts';

/**
 * Follows the page: silent while it is hidden, and events leave when it is. A page that is left is hidden first;
 * `pagehide` is for browsers that forget to say so, and `pageshow` for pages that come back whole. Never `unload`,
 * which would keep the page from coming back. Where there is no page, as on a server, it is as if it were hidden.
 */
export const followPage =
  (world: World, tabs: Tabs): Lifecycle =>
  (handles) => {
    const { document } = world;
    let isShown: boolean | undefined;
    const follow = (event?: Event) => {
      const shows = document?.visibilityState === 'visible' && event?.type !== 'pagehide';
      // What was recorded on the way out, too.
      if (!shows) void handles.flush(true);
      if (shows === isShown) return;
      isShown = shows;
      if (shows) {
        handles.resume();
        tabs.join(handles);
      } else {
        handles.pause();
        tabs.leave();
      }
    };
    const ending = new AbortController();
    document?.addEventListener('visibilitychange', follow, ending);
    world.addEventListener?.('pagehide', follow, ending);
    world.addEventListener?.('pageshow', follow, ending);
    follow();
    return () => {
      ending.abort();
      tabs.leave();
    };
  };
