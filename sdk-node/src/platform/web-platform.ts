import type { Clock, FetchLike } from '@flagsvc/sdk-core/client';

/** Longest delay that `setTimeout` takes; a longer one would fire at once. */
export const MAX_DELAY_MS: number = 2 ** 31 - 1;

/** Timers that do not keep a process alive, where there is such a thing, but while somebody awaits them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs, hold) {
    const timer: unknown = setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS));
    // In browsers and Workers it is a number, and keeps nothing alive.
    if (!hold) (timer as Partial<NodeJS.Timeout>).unref?.();
    return timer;
  },
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The global `fetch`, or the caller's, looked up at each call so that it can be patched. */
export const webFetch =
  (own?: typeof globalThis.fetch): FetchLike =>
  (url, init) =>
    (own ?? globalThis.fetch)(url, init as RequestInit);
