import type { FetchLike } from '@flagsvc/sdk-core/client';
import type { PageGlobals } from './page-globals.ts';

/** Bytes of all requests that may outlive the page at a time; browsers refuse more than 64 KiB. */
const KEEPALIVE_BYTES = 60_000;

// For all clients of a page together, because browsers count per page.
let keepaliveBytes = 0;

/**
 * The page's `fetch`, or the application's. Looked up at each call, so that it can be patched. `onReply` gets each
 * reply.
 */
export const createPageFetch =
  (globals: PageGlobals, own: PageGlobals['fetch']): FetchLike =>
  (url, init) => {
    let bytes = init.keepalive ? new Blob([init.body as string]).size : 0;
    if (keepaliveBytes + bytes > KEEPALIVE_BYTES) bytes = 0;
    keepaliveBytes += bytes;
    // The client aborts each request in the end, whatever its outcome.
    init.signal.addEventListener('abort', () => {
      keepaliveBytes -= bytes;
    });
    return (own ?? globals.fetch!)(url, { ...init, keepalive: !!bytes } as RequestInit);
  };
