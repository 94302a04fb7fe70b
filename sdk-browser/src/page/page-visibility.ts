import type { Lifecycle, LifecycleHandles } from '@flagsvc/sdk-core/client';
import type { PageGlobals } from './page-globals.ts';

/**
 * Runs a client, and the lifecycle `whileVisible`, only while the page is visible. Events are sent when the page
 * becomes hidden, which also happens before a page is left. Listens to `pagehide`, because some browsers do not report
 * a change of visibility when a page is left, and to `pageshow`, for pages restored from the back/forward cache. Never
 * listens to `unload`, which would keep a page out of that cache. Without a document, the client stays paused.
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
    // Done at each event, because pages record events while they are being left.
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
  // Some server runtimes have a global `addEventListener`, which would keep every client in memory.
  if (globals.document) {
    const options = { signal: closing.signal };
    globals.document.addEventListener('visibilitychange', update, options);
    globals.addEventListener?.('pagehide', update, options);
    globals.addEventListener?.('pageshow', update, options);
  }
  update();
  return () => {
    closing.abort();
    disconnect();
  };
};
