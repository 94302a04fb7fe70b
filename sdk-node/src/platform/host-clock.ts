import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers';
import type { Clock } from '@flagsvc/sdk-core/client';
import { MAX_DELAY_MS, systemClock } from './web-platform.ts';

// Captured when the module is loaded: timers that a host replaces later, such as fake timers in tests, may never fire.
const { setTimeout, clearTimeout, setImmediate, clearImmediate } = timers;

/** A timeout, and the immediate that runs the callback once the timeout is due. */
interface Timer {
  readonly timeout: NodeJS.Timeout;
  immediate?: NodeJS.Immediate;
}

/** Calls a function in the async context in which this module was loaded, detached from the host's current one. */
export const runDetached: <Result, Args extends unknown[]>(
  call: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();

/** Node's own clock. Its callbacks run detached from the host's async context (decisions/0013). */
export const hostClock: Clock = {
  now: systemClock.now,
  monotonic: performance.now.bind(performance),
  setTimer(callback, delayMs, hold) {
    // Runs after pending I/O, so that an answer that arrived while the process was blocked does not count as late.
    const onDue = () => {
      timer.immediate = setImmediate(callback);
    };
    const timer: Timer = { timeout: runDetached(() => setTimeout(onDue, Math.min(delayMs, MAX_DELAY_MS))) };
    if (!hold) timer.timeout.unref();
    return timer;
  },
  clearTimer(timer) {
    const { timeout, immediate } = (timer ?? {}) as Partial<Timer>;
    clearTimeout(timeout);
    clearImmediate(immediate);
  },
};
