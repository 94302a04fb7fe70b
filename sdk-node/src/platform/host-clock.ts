import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers';
import type { Clock } from '@flagsvc/sdk-core/client';
import { MAX_DELAY_MS, systemClock } from './web-platform.ts';

// Taken now, because what a host puts in their place later, such as fake timers, may never fire.
const { setTimeout, clearTimeout, setImmediate, clearImmediate } = timers;

/** A timer, and the callback that is queued once it is due. */
interface Timer {
  readonly timeout: NodeJS.Timeout;
  immediate?: NodeJS.Immediate;
}

/** Calls a function detached from the host's async context: in the context that this module was loaded in. */
export const runDetached: <Result, Args extends unknown[]>(
  call: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();

/** Node's own clock. Its callbacks run detached from the host's async context (decisions/0013). */
export const hostClock: Clock = {
  now: systemClock.now,
  monotonic: performance.now.bind(performance),
  setTimer(callback, delayMs, hold) {
    // Runs after I/O that is ready: an answer is not late because the process stood still.
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
