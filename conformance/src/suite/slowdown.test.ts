import { expect, test } from 'vitest';
import { measureSlowdown, type WorkClocks } from './slowdown.ts';

/** Clocks of a process that gets this share of a core. Each reading costs 0.01 ms of processor time. */
const sharing = (share: number): WorkClocks => {
  let spent = 0;
  return { wallMs: () => spent / share, processorMs: () => (spent += 0.01) };
};

test('measures a slowdown of 1 with a whole core, and otherwise the inverse of the share of a core', () => {
  expect(measureSlowdown(sharing(1))).toBeCloseTo(1, 2);
  expect(measureSlowdown(sharing(0.125))).toBeCloseTo(8, 1);
});

test('is 1 when several threads use more processor time than wall time', () => {
  expect(measureSlowdown(sharing(3))).toBe(1);
});

test('measures the machine that the test runs on', () => {
  expect(measureSlowdown()).toBeGreaterThanOrEqual(1);
});
