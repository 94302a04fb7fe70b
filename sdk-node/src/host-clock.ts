import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers';
import type { Clock } from '@flagsvc/sdk-core/client';
import { MAX_DELAY_MS, systemClock } from './web-platform.ts';

// Those that were there first: what a host puts in their place later may never fire, as fake timers.
const { setTimeout, clearTimeout } = timers;

/** Calls a function where no request of the host is being served: in the context that this module was loaded in. */
export const outside: <Result, Args extends unknown[]>(
  call: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();

/** The clock of Node itself, whose callbacks belong to no request (decision 0166). */
export const hostClock: Clock = {
  now: systemClock.now,
  monotonic: performance.now.bind(performance),
  setTimer(callback, delayMs, hold) {
    const timer = outside(() => setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS)));
    return hold ? timer : timer.unref();
  },
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
