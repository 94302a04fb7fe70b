import type { Clock, FetchLike } from '@flagsvc/sdk-core/client';

/** Longest delay that `setTimeout` takes; with a longer one it fires at once. */
export const MAX_DELAY_MS: number = 2 ** 31 - 1;

/** The runtime's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs, hold) {
    const timer: unknown = setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS));
    // In browsers and Workers a timer is a number, which keeps nothing alive.
    if (!hold) (timer as Partial<NodeJS.Timeout>).unref?.();
    return timer;
  },
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The application's `fetch`, or the global one, which is looked up at each call so that it can be patched. */
export const webFetch =
  (own?: typeof globalThis.fetch): FetchLike =>
  (url, init) =>
    (own ?? globalThis.fetch)(url, init as RequestInit);
