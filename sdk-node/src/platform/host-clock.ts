import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers';
import type { Clock } from '@flagsvc/sdk-core/client';
import { MAX_DELAY_MS, systemClock } from './web-platform.ts';

// Those that were there first: what a host puts in their place later may never fire, as fake timers.
const { setTimeout, clearTimeout, setImmediate, clearImmediate } = timers;

/** What is set, and its turn once it is due. */
interface Timer {
  readonly wait: NodeJS.Timeout;
  turn?: NodeJS.Immediate;
}

/** Calls a function where no request of the host is being served: in the context that this module was loaded in. */
export const outside: <Result, Args extends unknown[]>(
  call: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();

/** The clock of Node itself, whose callbacks belong to no request (decisions/0013). */
export const hostClock: Clock = {
  now: systemClock.now,
  monotonic: performance.now.bind(performance),
  setTimer(callback, delayMs, hold) {
    // Its turn is after what has come meanwhile: an answer is not late because the process stood still.
    const due = () => {
      timer.turn = setImmediate(callback);
    };
    const timer: Timer = { wait: outside(() => setTimeout(due, Math.min(delayMs, MAX_DELAY_MS))) };
    if (!hold) timer.wait.unref();
    return timer;
  },
  clearTimer(timer) {
    const { wait, turn } = (timer ?? {}) as Partial<Timer>;
    clearTimeout(wait);
    clearImmediate(turn);
  },
};
