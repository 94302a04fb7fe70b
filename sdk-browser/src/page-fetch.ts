import type { FetchLike } from '@flagsvc/sdk-core/client';
import type { World } from './world.ts';

/** What may outlive the page together; browsers refuse what goes beyond 64 KiB. */
const KEEPALIVE_BYTES = 60_000;

// Browsers count for the page, and so does this for all its clients.
let underWay = 0;

/**
 * The page's `fetch`, looked up at each call so that it can be patched. `hear` is told of each answer. No request
 * outlasts its signal (decision 0137).
 */
export const createPageFetch =
  (world: World, own: World['fetch'], hear: (reply: Response) => void): FetchLike =>
  (url, init) => {
    let bytes = init.keepalive ? new Blob([init.body as string]).size : 0;
    if (underWay + bytes > KEEPALIVE_BYTES) bytes = 0;
    underWay += bytes;
    return new Promise<Response>((resolve, reject) => {
      init.signal.addEventListener('abort', () => reject(init.signal.reason));
      (own ?? world.fetch!)(url, { ...init, keepalive: !!bytes } as RequestInit)
        .then((reply) => {
          resolve(reply);
          hear(reply);
        })
        .catch(reject);
    }).finally(() => {
      underWay -= bytes;
    });
  };
