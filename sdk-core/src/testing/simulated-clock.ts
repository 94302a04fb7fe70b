import type { Clock } from '../client/ports.ts';

/** A clock whose time passes only when a test moves it. */
export interface SimulatedClock extends Clock {
  /** Advances the time. Fires each timer when it is due, in order, and settles promises in between. */
  advance(ms: number): Promise<void>;
  /** Advances the time as if the machine slept: overdue timers fire at the end. */
  sleep(ms: number): Promise<void>;
  /** Moves the wall clock, forwards or back; durations are not affected. */
  jump(ms: number): void;
  /** Settles promises without advancing the time. */
  settle(): Promise<void>;
  /** The number of timers that are set. */
  timers(): number;
}

/** Longest chain of promises that `settle` follows. */
const TICKS = 60;

/** Creates a simulated clock. `startMs` is the first wall-clock time, by default 2026-01-01T00:00:00Z. */
export const createSimulatedClock = (startMs = 1_767_225_600_000): SimulatedClock => {
  const timers = new Map<number, { readonly dueMs: number; readonly callback: () => void }>();
  let monotonicMs = 0;
  let wallOffsetMs = startMs;
  let ids = 0;

  const settle = async () => {
    for (let tick = 0; tick < TICKS; tick++) await Promise.resolve();
  };
  const nextDue = (untilMs: number): number | undefined => {
    let found: number | undefined;
    for (const [id, { dueMs }] of timers) {
      if (dueMs <= untilMs && (found === undefined || dueMs < timers.get(found)!.dueMs)) found = id;
    }
    return found;
  };
  const fireUntil = async (untilMs: number) => {
    await settle();
    for (let id = nextDue(untilMs); id !== undefined; id = nextDue(untilMs)) {
      const { dueMs, callback } = timers.get(id)!;
      timers.delete(id);
      monotonicMs = Math.max(monotonicMs, dueMs);
      callback();
      await settle();
    }
    monotonicMs = untilMs;
  };
  const setTimer = (callback: () => void, delayMs: number): number => {
    // Node logs a warning for a negative delay.
    if (delayMs < 0) throw new RangeError(`a timer cannot fire ${-delayMs} ms ago`);
    timers.set(++ids, { dueMs: monotonicMs + delayMs, callback });
    return ids;
  };
  return {
    now: () => wallOffsetMs + monotonicMs,
    monotonic: () => monotonicMs,
    setTimer,
    clearTimer: (timer) => void timers.delete(timer as number),
    advance: (ms) => fireUntil(monotonicMs + ms),
    sleep(ms) {
      monotonicMs += ms;
      return fireUntil(monotonicMs);
    },
    jump(ms) {
      wallOffsetMs += ms;
    },
    settle,
    timers: () => timers.size,
  };
};
