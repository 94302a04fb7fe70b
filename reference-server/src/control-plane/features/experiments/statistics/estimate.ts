import type { Moments, PairMoments } from './moments.ts';

/** A metric of one arm: its value, and how much the value would vary between samples of this size. */
export interface Estimate {
  readonly units: number;
  readonly value: number;
  /** The squared standard error of `value`; NaN below two units. */
  readonly variance: number;
}

/** The mean of one number per unit: a share of units, or a count or sum per unit. */
export function estimateMean({ units, mean, deviations }: Moments): Estimate {
  return { units, value: mean, variance: units < 2 ? Number.NaN : deviations / (units - 1) / units };
}

/**
 * The ratio of two sums over units, such as clicks per page view. Its variance is that of the numerator minus the ratio
 * times the denominator (delta method), since units are assigned and their page views are not independent. NaN where
 * the denominators sum to 0.
 */
export function estimateRatio({ numerator, denominator, products }: PairMoments): Estimate {
  const units = numerator.units;
  const value = numerator.mean / denominator.mean;
  const residuals = numerator.deviations - 2 * value * products + value * value * denominator.deviations;
  // Rounding can leave a negative rest where every unit has the same ratio.
  const variance = Math.max(0, residuals) / (units - 1) / units / (denominator.mean * denominator.mean);
  return {
    units,
    value: denominator.mean === 0 ? Number.NaN : value,
    variance: units < 2 || denominator.mean === 0 ? Number.NaN : variance,
  };
}
