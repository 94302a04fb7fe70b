/**
 * Asymptotic confidence sequences (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory
 * and asymptotic confidence sequences", 2021). An interval of fixed size is wrong in far more than 5 % of experiments
 * when people look at it every day; these intervals hold at all looks together, so an experiment may end at any look.
 */
export interface Sequence {
  /** Accepted share of experiments in which any interval misses the truth: above 0, below 1. */
  readonly alpha: number;
  /** The number of units, in both arms together, at which the intervals are narrowest. */
  readonly tuningUnits: number;
}

/** The defaults of an experiment: 5 %, and narrowest at 5,000 units. */
export const DEFAULT_SEQUENCE: Sequence = { alpha: 0.05, tuningUnits: 5000 };

/** How many standard errors a two-sided interval reaches to each side after `units` units. */
export function twoSidedWidth(units: number, sequence: Sequence): number {
  const scale = units * mixture(sequence.alpha, sequence.tuningUnits);
  return Math.sqrt(((2 * (scale + 1)) / scale) * Math.log(Math.sqrt(scale + 1) / sequence.alpha));
}

/** How many standard errors a one-sided interval reaches to its side after `units` units. */
export function oneSidedWidth(units: number, sequence: Sequence): number {
  // A one-sided interval at alpha is narrowest where a two-sided one at twice alpha is.
  const scale = units * mixture(2 * sequence.alpha, sequence.tuningUnits);
  return Math.sqrt(((2 * (scale + 1)) / scale) * Math.log(1 + Math.sqrt(scale + 1) / (2 * sequence.alpha)));
}

/**
 * The smallest alpha at which the two-sided interval excludes a difference of `errors` standard errors, for the tuning
 * of `sequence`; at most 1. It stays valid as the minimum over all looks.
 */
export function anytimeProbability(errors: number, units: number, sequence: Sequence): number {
  const scale = units * mixture(sequence.alpha, sequence.tuningUnits);
  return Math.min(1, Math.sqrt(scale + 1) * Math.exp((-errors * errors * scale) / (2 * (scale + 1))));
}

/** The squared rho of the paper's mixture that makes intervals narrowest at `tuningUnits` (its appendix B.2). */
function mixture(alpha: number, tuningUnits: number): number {
  const log = -2 * Math.log(alpha);
  return (log + Math.log(log + 1)) / tuningUnits;
}
