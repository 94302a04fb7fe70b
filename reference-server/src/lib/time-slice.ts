import { setImmediate } from 'node:timers/promises';

/** Work that takes long asks after each step whether its turn is over, and then lets requests be answered. */
export interface Turn {
  isOver(): boolean;
  /** Resolves when whoever waited for the thread has had it. */
  giveWay(): Promise<void>;
}

/** So long may requests wait for work in the background, milliseconds. */
const TURN_MS = 2;

export function createTurn(): Turn {
  let begun = performance.now();
  return {
    isOver: () => performance.now() - begun > TURN_MS,
    async giveWay() {
      await setImmediate();
      begun = performance.now();
    },
  };
}
