import type { Lifecycle, LifecycleHandles } from '@flagsvc/sdk-core/client';
import type { PageGlobals } from './page-globals.ts';

/**
 * Runs a client, and what `whileVisible` connects, only while the page is visible; events leave when it is hidden. A
 * page is hidden before it is left; `pagehide` is for browsers that do not say so, and `pageshow` for pages restored
 * from the back/forward cache. Never `unload`, which would keep a page out of that cache. Without a document the client
 * stays hidden.
 */
export const followVisibility = (
  globals: PageGlobals,
  handles: LifecycleHandles,
  whileVisible: Lifecycle,
): (() => void) => {
  const closing = new AbortController();
  let isVisible: boolean | undefined;
  let disconnect = () => {};
  const update = (event?: { readonly type: string }) => {
    const wasVisible = isVisible;
    isVisible = event?.type !== 'pagehide' && globals.document?.visibilityState === 'visible';
    // At each event, since pages record events on their way out.
    if (!isVisible) handles.flushAtOnce();
    if (isVisible === wasVisible) return;
    if (isVisible) {
      handles.resume();
      disconnect = whileVisible(handles);
    } else {
      handles.pause();
      disconnect();
    }
  };
  // Some servers have `addEventListener` as well, and would keep every client that ever listened.
  if (globals.document) {
    // A controller does for the options of a listener: it has a `signal`.
    globals.document.addEventListener('visibilitychange', update, closing);
    globals.addEventListener?.('pagehide', update, closing);
    globals.addEventListener?.('pageshow', update, closing);
  }
  update();
  return () => {
    closing.abort();
    disconnect();
  };
};
