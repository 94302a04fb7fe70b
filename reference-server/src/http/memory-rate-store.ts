import type { RateStore } from './rate-store.ts';
import { createRateWindows, PROCESS_CLOCK, type RateClock } from './rate-windows.ts';

/** Keeps counts in this process, in fixed windows that begin with a key's first request. */
export function createMemoryRateStore(clock: RateClock = PROCESS_CLOCK): RateStore {
  return {
    openCounter(_name, limit) {
      const windows = createRateWindows(clock);
      return { take: (key, own = limit) => windows.take(key, own), refund: windows.refund };
    },
  };
}
