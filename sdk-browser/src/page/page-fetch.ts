import type { FetchLike } from '@flagsvc/sdk-core/client';
import type { PageGlobals } from './page-globals.ts';

/** Maximum total size of `keepalive` requests in flight, in bytes; browsers refuse more than 64 KiB. */
const KEEPALIVE_BYTES = 60_000;

// Shared by all clients of a page, because browsers count per page.
let keepaliveBytes = 0;

/**
 * The application's `fetch`, or the page's, which is looked up at each call so that it can be patched. Requests use
 * `keepalive` only within the page's budget.
 */
export const createPageFetch =
  (globals: PageGlobals, own: PageGlobals['fetch']): FetchLike =>
  (url, init) => {
    let bytes = init.keepalive ? new Blob([init.body as string]).size : 0;
    if (keepaliveBytes + bytes > KEEPALIVE_BYTES) bytes = 0;
    keepaliveBytes += bytes;
    // When a request is done, the client aborts its signal, which frees the budget.
    init.signal.addEventListener('abort', () => {
      keepaliveBytes -= bytes;
    });
    return (own ?? globals.fetch!)(url, { ...init, keepalive: !!bytes } as RequestInit);
  };
