import type { Clock } from '@flagsvc/sdk-core/client';

/** The clock of the process. A timer keeps the process alive only with `hold`. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  setTimer(callback, delayMs, hold) {
    const timer = setTimeout(callback, delayMs);
    if (!hold) timer.unref();
    return timer;
  },
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};
