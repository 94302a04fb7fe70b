import { expect, test } from 'vitest';
import { scaleOf } from './scale.ts';

test.each([
  [[], 1, [0, 1]],
  [[0, 3], 3, [0, 1, 2, 3]],
  [[9], 9, [0, 3, 6, 9]],
  [[1_240], 1_500, [0, 500, 1_000, 1_500]],
  [[33_100_000], 40_000_000, [0, 10_000_000, 20_000_000, 30_000_000, 40_000_000]],
])('counts of %j get an axis up to %i', (counts, top, ticks) => {
  expect(scaleOf(counts)).toEqual({ top, ticks });
});

test('every axis has room for its counts, and few whole numbers', () => {
  for (let most = 1; most < 1e9; most = Math.ceil(most * 1.37)) {
    const { top, ticks } = scaleOf([most]);
    expect(top).toBeGreaterThanOrEqual(most);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.every(Number.isInteger)).toBe(true);
  }
});
