import { setImmediate } from 'node:timers/promises';

/** The share of the event loop that long background work takes before it lets requests run. */
export interface TimeSlice {
  /** True once the slice is used up: then `await` `yieldToOthers()` before the next step. */
  isOver(): boolean;
  /** Resolves after the event loop has handled everything that was ready, and starts the next slice. */
  yieldToOthers(): Promise<void>;
}

/** The longest time, in milliseconds, for which background work delays a request. */
const SLICE_MS = 2;

export function createTimeSlice(): TimeSlice {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt > SLICE_MS,
    async yieldToOthers() {
      await setImmediate();
      startedAt = performance.now();
    },
  };
}
