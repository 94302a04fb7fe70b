import type { Estimate } from './estimate.ts';
import { normalDensity, normalProbability } from './normal.ts';

/** Lifts are expected within ± 30 % before any data: wide enough that a few hundred units outweigh it. */
const PRIOR_LIFT_DEVIATION = 0.3;

/** Bayesian readings, as an aid for people. No verdict follows from them: they do not hold under repeated looks. */
export interface Readings {
  /** Probability that the arm's metric is above the control's: 0 to 1. */
  readonly chanceAbove: number;
  /** Mean relative loss of choosing the arm, counting 0 where it is above the control. */
  readonly expectedLoss: number;
}

/**
 * Reads the posterior of the relative difference under a normal prior around 0. `isBetterBelow` is true for metrics
 * that should fall. NaN where the control is not above 0.
 */
export function readArm(control: Estimate, treatment: Estimate, isBetterBelow = false): Readings {
  if (!(control.value > 0)) return { chanceAbove: Number.NaN, expectedLoss: Number.NaN };
  const lift = (treatment.value - control.value) / control.value;
  const variance = (control.variance + treatment.variance) / control.value ** 2;
  const prior = PRIOR_LIFT_DEVIATION ** 2;
  const mean = (lift * prior) / (prior + variance);
  const deviation = Math.sqrt((prior * variance) / (prior + variance));
  const gain = isBetterBelow ? -mean : mean;
  if (deviation === 0) {
    return { chanceAbove: mean > 0 ? 1 : mean < 0 ? 0 : 0.5, expectedLoss: Math.max(0, -gain) };
  }
  const errors = gain / deviation;
  return {
    chanceAbove: normalProbability(mean / deviation),
    expectedLoss: deviation * normalDensity(errors) - gain * normalProbability(-errors),
  };
}
