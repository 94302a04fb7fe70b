import { createSimulatedClock, type SimulatedClock } from '@flagsvc/sdk-core/testing';

/** A clock that only the test moves, for clients that use real sockets. */
export interface SteppedClock {
  readonly clock: SimulatedClock;
  /** Lets time pass. */
  advance(ms: number): Promise<void>;
  stop(): void;
}

/** Starts a clock whose timers without a delay fire by themselves, so tests advance it only for real waits. */
export const startSteppedClock = (): SteppedClock => {
  const clock = createSimulatedClock();
  // Steps run one after the other, because each sets the time at its end.
  let steps = Promise.resolve();
  const advance = (ms: number) => {
    steps = steps.then(() => clock.advance(ms));
    return steps;
  };
  const pump = setInterval(() => advance(0), 2);
  return { clock, advance, stop: () => clearInterval(pump) };
};
