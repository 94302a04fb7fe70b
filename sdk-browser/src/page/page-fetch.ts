import type { FetchLike } from '@flagsvc/sdk-core/client';
import type { PageWorld } from './world.ts';

/** What may outlive the page together; browsers refuse what goes beyond 64 KiB. */
const KEEPALIVE_BYTES = 60_000;

// Browsers count for the page, and so does this for all its clients.
let underWay = 0;

/**
 * The page's `fetch`, looked up at each call so that it can be patched. `hear` is told of each answer.
 */
export const createPageFetch =
  (world: PageWorld, own: PageWorld['fetch'], hear: (reply: Response) => void): FetchLike =>
  (url, init) => {
    let bytes = init.keepalive ? new Blob([init.body as string]).size : 0;
    if (underWay + bytes > KEEPALIVE_BYTES) bytes = 0;
    underWay += bytes;
    // Every request ends so, whatever becomes of it.
    init.signal.addEventListener('abort', () => {
      underWay -= bytes;
    });
    const reply = (own ?? world.fetch!)(url, { ...init, keepalive: !!bytes } as RequestInit);
    reply.then(hear).catch(() => {});
    return reply;
  };
