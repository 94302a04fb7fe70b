import { expect, test } from 'vitest';
import { measureSlowdown, type WorkClocks } from './slowdown.ts';

/** A process that gets this share of a core, a hundredth of a millisecond of processor time at a look. */
const sharing = (share: number): WorkClocks => {
  let spent = 0;
  return { wallMs: () => spent / share, processorMs: () => (spent += 0.01) };
};

test('is 1 with a core of its own, and the inverse of the share otherwise', () => {
  expect(measureSlowdown(sharing(1))).toBeCloseTo(1, 2);
  expect(measureSlowdown(sharing(0.125))).toBeCloseTo(8, 1);
});

test('is 1 when several threads spend more processor time than the wall shows', () => {
  expect(measureSlowdown(sharing(3))).toBe(1);
});

test('ends on the machine that it runs on', () => {
  expect(measureSlowdown()).toBeGreaterThanOrEqual(1);
});
