import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compareArms } from '../compare.ts';
import { oneSidedWidth, twoSidedWidth } from '../confidence-sequence.ts';
import { type Estimate, estimateMean, estimateRatio } from '../estimate.ts';
import { addPair, addUnit, type Moments, NO_PAIRS, NO_UNITS } from '../moments.ts';
import { normalDensity, normalProbability, normalQuantile } from '../normal.ts';
import { readArm } from '../readings.ts';
import { checkSampleRatio } from '../sample-ratio.ts';
import { planUnits } from '../sample-size.ts';

/** What SciPy and statsmodels computed; `make-tables.py` wrote it. */
interface Tables {
  readonly probabilities: readonly { x: number; probability: number; density: number }[];
  readonly quantiles: readonly { probability: number; x: number }[];
  readonly means: readonly { control: number[]; treatment: number[]; difference: number; error: number }[];
  readonly ratios: readonly {
    numerators: number[];
    denominators: number[];
    value: number;
    variance: number;
  }[];
  readonly sequences: readonly {
    units: number;
    alpha: number;
    tuningUnits: number;
    twoSided: number;
    oneSided: number;
  }[];
  readonly lifts: readonly { control: Estimate; treatment: Estimate; low: number; high: number }[];
  readonly sampleRatios: readonly { counts: number[]; shares: number[]; logBayesFactor: number }[];
  readonly readings: readonly {
    control: Estimate;
    treatment: Estimate;
    chanceAbove: number;
    expectedLoss: number;
  }[];
  readonly plans: readonly {
    mean: number;
    lift: number;
    shares: [number, number];
    power: number;
    alpha: number;
    tuningUnits: number;
    units: number;
  }[];
}
const tables = JSON.parse(readFileSync(new URL('tables.json', import.meta.url), 'utf8')) as Tables;

/** Fails unless both agree to a relative 1e-9; what should be 0 may be off by the last digit of 1. */
function expectClose(actual: number, expected: number): void {
  expect(Math.abs(actual - expected), `${actual} instead of ${expected}`).toBeLessThanOrEqual(
    expected === 0 ? Number.EPSILON : 1e-9 * Math.abs(expected),
  );
}

const momentsOf = (values: readonly number[]): Moments => values.reduce(addUnit, NO_UNITS);

test('the references have at least 200 tables beside the normal distribution', () => {
  const { probabilities: _, quantiles: __, ...rest } = tables;
  expect(Object.values(rest).flat().length).toBeGreaterThanOrEqual(200);
});

test.each(tables.probabilities)('the normal distribution at $x equals that of SciPy', (table) => {
  expectClose(normalProbability(table.x), table.probability);
  expectClose(normalDensity(table.x), table.density);
});

test.each(tables.quantiles)('the normal quantile of $probability equals that of SciPy', (table) => {
  expectClose(normalQuantile(table.probability), table.x);
});

test.each(tables.means)('a difference of means has the standard error of statsmodels', (table) => {
  const control = estimateMean(momentsOf(table.control));
  const treatment = estimateMean(momentsOf(table.treatment));
  expect(treatment.value - control.value).toBeCloseTo(table.difference, 8);
  expectClose(Math.sqrt(control.variance + treatment.variance), table.error);
});

test.each(tables.ratios)('a ratio has the variance of its gradient', (table) => {
  const estimate = estimateRatio(
    table.numerators.reduce((pair, value, unit) => addPair(pair, value, table.denominators[unit]!), NO_PAIRS),
  );
  expectClose(estimate.value, table.value);
  expectClose(estimate.variance, table.variance);
});

test.each(tables.sequences)('after $units units an interval is as wide as its integral says', (table) => {
  expectClose(twoSidedWidth(table.units, table), table.twoSided);
  expectClose(oneSidedWidth(table.units, table), table.oneSided);
});

test.each(tables.lifts)('the interval of a lift ends where a root search ends', (table) => {
  const { liftInterval } = compareArms(table.control, table.treatment, { alpha: 0.05, tuningUnits: 5000 });
  expectClose(1 + liftInterval.low, 1 + table.low);
  expectClose(1 + liftInterval.high, 1 + table.high);
});

test.each(tables.sampleRatios)('the Bayes factor of $counts equals a sum over units', (table) => {
  expectClose(checkSampleRatio(table.counts, table.shares).logBayesFactor, table.logBayesFactor);
});

test.each(tables.readings)('readings equal integrals over the posterior', (table) => {
  const { chanceAbove, expectedLoss } = readArm(table.control, table.treatment);
  expectClose(chanceAbove, table.chanceAbove);
  expect(expectedLoss).toBeCloseTo(table.expectedLoss, 10);
});

test.each(tables.plans)('a plan for $lift needs as many units as a root search says', (table) => {
  const { mean, lift, shares, power } = table;
  const units = planUnits({ mean, unitVariance: mean * (1 - mean), lift, shares, power, sequence: table });
  expect(units).toBe(table.units);
});

test('an interval equals the worked example of a published formula', () => {
  // GrowthBook's documentation: variance 1, 10,000 units, tuning 5,000, alpha 0.05.
  const halfWidth = twoSidedWidth(10_000, { alpha: 0.05, tuningUnits: 5000 }) / Math.sqrt(10_000);
  expect(halfWidth).toBeCloseTo(0.0306148, 7);
});
