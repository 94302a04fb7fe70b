import { expect, test } from 'vitest';
import type { Share } from './config.ts';
import {
  boundariesOf,
  splitOf,
  withBoundaries,
  withEveryVariation,
  withoutEmpty,
  withShare,
} from './shares.ts';

const shares = (...percentages: number[]): Share[] =>
  percentages.map((percentage, index) => ({ variation: 'abcdef'[index]!, percentage }));
const numbers = (all: readonly Share[]) => all.map(({ percentage }) => percentage);

test('a share takes from the next one, then from those after it', () => {
  expect(numbers(withShare(shares(40, 45, 15), 0, 60))).toEqual([60, 25, 15]);
  expect(numbers(withShare(shares(40, 45, 15), 0, 90))).toEqual([90, 0, 10]);
  expect(numbers(withShare(shares(40, 45, 15), 2, 70))).toEqual([0, 30, 70]);
  expect(numbers(withShare(shares(100), 0, 30))).toEqual([100]);
});

test('every share from 0 to 100 leaves a sum of 100 and no share below 0', () => {
  for (const start of [shares(40, 45, 15), shares(0, 0, 100), shares(100, 0), shares(10, 20, 30, 40)])
    for (let at = 0; at < start.length; at++)
      for (const value of [-5, 0, 1, 33.4, 50, 99, 100, 250]) {
        const result = numbers(withShare(start, at, value));
        expect(result.reduce((sum, one) => sum + one)).toBe(100);
        expect(Math.min(...result)).toBeGreaterThanOrEqual(0);
      }
});

test('boundaries and shares say the same', () => {
  expect(boundariesOf(shares(60, 25, 15))).toEqual([60, 85]);
  expect(numbers(withBoundaries(shares(60, 25, 15), [10, 85]))).toEqual([10, 75, 15]);
});

test('a split begins with everyone on what was served, and offers every variation', () => {
  expect(splitOf('b', ['a', 'b', 'c'])).toEqual([
    { variation: 'b', percentage: 100 },
    { variation: 'a', percentage: 0 },
    { variation: 'c', percentage: 0 },
  ]);
  expect(numbers(withEveryVariation(shares(60, 40), ['a', 'b', 'c']))).toEqual([60, 40, 0]);
  expect(numbers(withoutEmpty(shares(60, 0, 40)))).toEqual([60, 40]);
});
