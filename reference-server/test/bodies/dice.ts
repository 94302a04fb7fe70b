import { createSeededRandom } from '@flagsvc/sdk-core/testing';

/** Random choices for one body, reproducible by its seed. */
export interface Dice {
  /** Returns 0 to below 1. */
  random(): number;
  /** Returns an integer from 0 to below `end`. */
  below(end: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Returns an integer from 1 to `most`, each order of magnitude equally often. */
  size(most: number): number;
}

export function createDice(seed: number): Dice {
  const random = createSeededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  return {
    random,
    below,
    chance: (probability) => random() < probability,
    pick: (list) => list[below(list.length)]!,
    size: (most) => Math.floor(most ** random()),
  };
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  const made: T[] = [];
  for (let index = 0; index < count; index++) made.push(make(index));
  return made;
}
