import { expect, test } from 'vitest';
import { compareArms } from './compare.ts';
import { anytimeProbability, DEFAULT_SEQUENCE, twoSidedWidth } from './confidence-sequence.ts';
import { estimateMean, estimateRatio } from './estimate.ts';
import {
  addPair,
  addUnit,
  type Moments,
  mergeMoments,
  mergePairs,
  momentsOfCounts,
  NO_PAIRS,
  NO_UNITS,
} from './moments.ts';
import { normalProbability, normalQuantile } from './normal.ts';
import { readArm } from './readings.ts';
import { checkSampleRatio } from './sample-ratio.ts';
import { planTunedUnits, planUnits } from './sample-size.ts';
import { type Arm, isGuardrailBreached, judge } from './verdict.ts';

const momentsOf = (values: readonly number[]): Moments => values.reduce(addUnit, NO_UNITS);
const conversions = (units: number, responses: number): Arm => ({
  estimate: estimateMean(momentsOfCounts(units, responses)),
  responses,
});
const INCREASE = { direction: 'increase', sequence: DEFAULT_SEQUENCE } as const;
const DECREASE = { direction: 'decrease', sequence: DEFAULT_SEQUENCE } as const;

test('an arm below 100 units or 5 responses is collecting, without a comparison', () => {
  expect(judge(conversions(99, 50), conversions(5000, 50), INCREASE)).toEqual({
    verdict: 'collecting',
    comparison: undefined,
  });
  expect(judge(conversions(5000, 50), conversions(5000, 4), INCREASE).verdict).toBe('collecting');
  expect(judge(conversions(100, 5), conversions(100, 5), INCREASE).verdict).toBe('inconclusive');
});

test('a rise wins or loses by the direction of the metric', () => {
  const [control, treatment] = [conversions(10_000, 1000), conversions(10_000, 1300)];
  expect(judge(control, treatment, INCREASE).verdict).toBe('winning');
  expect(judge(control, treatment, DECREASE).verdict).toBe('losing');
  expect(judge(treatment, control, INCREASE).verdict).toBe('losing');
  expect(judge(treatment, control, DECREASE).verdict).toBe('winning');
});

test('the interval of the lift excludes 0 exactly when that of the difference does', () => {
  let excluded = 0;
  for (let responses = 300; responses <= 1200; responses += 3) {
    const comparison = judge(conversions(5000, 600), conversions(4000, responses), INCREASE).comparison!;
    const excludes = ({ low, high }: { low: number; high: number }) => low > 0 || high < 0;
    expect(excludes(comparison.liftInterval), String(responses)).toBe(
      excludes(comparison.differenceInterval),
    );
    expect(comparison.probability < DEFAULT_SEQUENCE.alpha).toBe(excludes(comparison.differenceInterval));
    if (excludes(comparison.liftInterval)) excluded++;
  }
  expect(excluded).toBeGreaterThan(50);
});

test('the lift has no bound while the control may be 0', () => {
  const control = { units: 200, value: 0.5, variance: 0.04 };
  const { liftInterval } = compareArms(control, { units: 200, value: 1, variance: 0.01 }, DEFAULT_SEQUENCE);
  expect(liftInterval).toEqual({ low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY });
});

test('units without any difference compare as equal, and unknown values exclude nothing', () => {
  const all = estimateMean(momentsOfCounts(500, 500));
  expect(compareArms(all, all, DEFAULT_SEQUENCE)).toMatchObject({
    difference: 0,
    lift: 0,
    probability: 1,
  });
  const unknown = estimateMean(NO_UNITS);
  expect(compareArms(all, unknown, DEFAULT_SEQUENCE).probability).toBe(1);
  const infinite = { units: 500, value: Number.POSITIVE_INFINITY, variance: Number.NaN };
  expect(judge({ estimate: infinite, responses: 9 }, { estimate: all, responses: 9 }, INCREASE).verdict).toBe(
    'inconclusive',
  );
});

test('a guardrail reports harm in the bad direction only, and beyond its tolerance only', () => {
  const [control, worse] = [conversions(20_000, 4000), conversions(20_000, 3500)];
  expect(isGuardrailBreached(control, worse, INCREASE)).toBe(true);
  expect(isGuardrailBreached(worse, control, INCREASE)).toBe(false);
  expect(isGuardrailBreached(worse, control, DECREASE)).toBe(true);
  expect(isGuardrailBreached(control, worse, { ...INCREASE, tolerance: 0.2 })).toBe(false);
  expect(isGuardrailBreached(control, conversions(20_000, 2500), { ...INCREASE, tolerance: 0.2 })).toBe(true);
  expect(isGuardrailBreached(control, conversions(50, 0), INCREASE)).toBe(false);
});

test('the anytime p-value is alpha where the interval ends', () => {
  const sequence = { alpha: 0.03, tuningUnits: 700 };
  expect(anytimeProbability(twoSidedWidth(4321, sequence), 4321, sequence)).toBeCloseTo(0.03, 12);
  expect(anytimeProbability(0, 4321, sequence)).toBe(1);
});

test('moments in parts equal moments at once, also far from 0', () => {
  const values = Array.from({ length: 50 }, (_, index) => 1e9 + ((index * 7) % 13));
  const whole = momentsOf(values);
  const parts = mergeMoments(momentsOf(values.slice(0, 17)), momentsOf(values.slice(17)));
  expect(parts.mean).toBeCloseTo(whole.mean, 6);
  expect(parts.deviations).toBeCloseTo(whole.deviations, 4);
  const mean = values.reduce((sum, value) => sum + (value - 1e9), 0) / 50;
  const exact = values.reduce((sum, value) => sum + (value - 1e9 - mean) ** 2, 0);
  expect(whole.deviations).toBeCloseTo(exact, 4);
  expect(mergeMoments(NO_UNITS, NO_UNITS)).toEqual(NO_UNITS);
});

test('pairs in parts equal pairs at once, and a constant ratio has no variance', () => {
  const pairs = Array.from({ length: 30 }, (_, index) => [index % 5, 1 + (index % 7)] as const);
  const sum = (some: typeof pairs) => some.reduce((pair, [x, y]) => addPair(pair, x, y), NO_PAIRS);
  const [whole, parts] = [sum(pairs), mergePairs(sum(pairs.slice(0, 11)), sum(pairs.slice(11)))];
  expect(parts.products).toBeCloseTo(whole.products, 10);
  expect(estimateRatio(parts).variance).toBeCloseTo(estimateRatio(whole).variance, 12);
  const constant = sum(pairs.map(([, y]) => [0.1 * y, y] as const));
  expect(estimateRatio(constant).variance).toBeCloseTo(0, 12);
  expect(estimateRatio(NO_PAIRS).value).toBeNaN();
});

test('readings turn around with the direction, and are NaN without a positive control', () => {
  const [control, treatment] = [conversions(1000, 100).estimate, conversions(1000, 120).estimate];
  const up = readArm(control, treatment);
  const down = readArm(control, treatment, true);
  expect(up.chanceAbove).toBeGreaterThan(0.85);
  expect(down.chanceAbove).toBe(up.chanceAbove);
  expect(down.expectedLoss).toBeGreaterThan(up.expectedLoss);
  expect(readArm(estimateMean(momentsOfCounts(100, 0)), treatment).chanceAbove).toBeNaN();
  const exact = { units: 10, value: 1, variance: 0 };
  expect(readArm(exact, { ...exact, value: 2 })).toEqual({ chanceAbove: 1, expectedLoss: 0 });
});

test('a sample ratio is sound without units, and alarms on uneven shares', () => {
  expect(checkSampleRatio([0, 0], [0.5, 0.5])).toEqual({ logBayesFactor: 0, ok: true });
  expect(checkSampleRatio([52_000, 48_000], [0.5, 0.5]).ok).toBe(false);
  expect(checkSampleRatio([50_100, 49_900], [0.5, 0.5]).ok).toBe(true);
  expect(checkSampleRatio([98_000, 1000, 1000], [0.98, 0.01, 0.01]).ok).toBe(true);
  expect(checkSampleRatio([98_000, 1400, 600], [0.98, 0.01, 0.01]).ok).toBe(false);
});

test('a plan needs more units for less lift, more power and uneven shares', () => {
  const plan = {
    mean: 0.1,
    unitVariance: 0.09,
    lift: 0.1,
    shares: [0.5, 0.5],
    power: 0.8,
    sequence: DEFAULT_SEQUENCE,
  } as const;
  const units = planUnits(plan)!;
  expect(planUnits({ ...plan, lift: 0.05 })).toBeGreaterThan(3 * units);
  expect(planUnits({ ...plan, power: 0.95 })).toBeGreaterThan(units);
  expect(planUnits({ ...plan, shares: [0.9, 0.1] })).toBeGreaterThan(2 * units);
  expect(planTunedUnits(plan, 0.05)).toBeLessThan(units);
  expect(planUnits({ ...plan, lift: 0 })).toBeUndefined();
});

test('the normal distribution has its limits', () => {
  expect(normalProbability(Number.POSITIVE_INFINITY)).toBe(1);
  expect(normalProbability(Number.NEGATIVE_INFINITY)).toBe(0);
  expect([0, 0.5, 1, 2, Number.NaN].map(normalQuantile)).toEqual([
    Number.NEGATIVE_INFINITY,
    expect.closeTo(0, 15),
    Number.POSITIVE_INFINITY,
    Number.NaN,
    Number.NaN,
  ]);
});
