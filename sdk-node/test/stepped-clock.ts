import { createSimulatedClock, type SimulatedClock } from '@flagsvc/sdk-core/testing';

/** A clock that stands still until it is moved, for clients that use real sockets. */
export interface SteppedClock {
  readonly clock: SimulatedClock;
  /** Lets time pass. */
  advance(ms: number): Promise<void>;
  stop(): void;
}

/** Timers that are due fire between the events of the process, so what needs no time needs no step. */
export const startSteppedClock = (): SteppedClock => {
  const clock = createSimulatedClock();
  // One step after the other, because a step sets the time at its end.
  let steps = Promise.resolve();
  const advance = (ms: number) => {
    steps = steps.then(() => clock.advance(ms));
    return steps;
  };
  const pump = setInterval(() => advance(0), 2);
  return { clock, advance, stop: () => clearInterval(pump) };
};
