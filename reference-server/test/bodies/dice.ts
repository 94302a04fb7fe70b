import { createSeededRandom } from '@flagsvc/sdk-core/testing';

/** Draws for one body, repeatable by its seed. */
export interface Dice {
  /** From 0 to below 1. */
  random(): number;
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** True so often. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A whole number from 1 to `most`, as often of each order of magnitude. */
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
