import { expect, test } from 'vitest';
import { isWrong, playKnownTruths } from '../../bench/statistics/known-truths.ts';
import { planAndPlay } from '../../bench/statistics/planned-power.ts';
import { POPULATIONS } from '../../bench/statistics/populations.ts';
import { countAlarms } from '../../bench/statistics/sample-ratios.ts';
import { simulate } from '../../bench/statistics/simulate.ts';

// A sample of `npm run bench:statistics`, with seeds, so that it passes or fails always.
const RUNS = 300;

test.each(POPULATIONS)('few A/A experiments raise an alarm at any of 100 looks: $name', (population) => {
  const outcome = simulate({ population, lift: 0, runs: RUNS, units: 1000 });
  expect(outcome.decided / RUNS).toBeLessThanOrEqual(0.05);
  expect(outcome.missed / RUNS).toBeLessThanOrEqual(0.05);
  expect(outcome.harmed / RUNS).toBeLessThanOrEqual(0.05);
});

test('the simulation finds the false alarms of an interval for one look', () => {
  const outcome = simulate({ population: POPULATIONS[0]!, lift: 0, runs: RUNS, units: 1000 });
  expect(outcome.naive / RUNS).toBeGreaterThan(0.15);
});

test('the simulation finds the false alarms of the delta method where few units buy', () => {
  const population = POPULATIONS.find(({ name }) => name === 'sum, lognormal, 5 % buy')!;
  expect(simulate({ population, lift: 0, runs: RUNS, units: 1000 }).delta / RUNS).toBeGreaterThan(0.1);
});

test('an experiment of the planned size finds the difference', () => {
  const { found, runs } = planAndPlay(POPULATIONS[2]!, 0.2, 200);
  expect(found / runs).toBeGreaterThanOrEqual(0.9);
});

test('unequal shares raise an alarm, equal ones do not', () => {
  expect(countAlarms(0.5, 200, 20_000)).toBeLessThanOrEqual(1);
  expect(countAlarms(0.52, 50, 20_000)).toBeGreaterThanOrEqual(45);
});

test('of twenty experiments with known truth, at most one is judged wrongly, and most changes are found', () => {
  const experiments = playKnownTruths(20);
  expect(experiments.filter(({ verdict, lift }) => isWrong(verdict, lift)).length).toBeLessThanOrEqual(1);
  const changed = experiments.filter(({ lift }) => lift !== 0);
  const found = changed.filter(({ verdict }) => verdict !== 'inconclusive');
  expect(found.length).toBeGreaterThanOrEqual(changed.length * 0.6);
});
