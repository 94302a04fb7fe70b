/**
 * What is kept of one number per unit: enough for its mean and variance, whatever the number of units. Sums of squared
 * deviations stay exact where plain sums of squares would cancel, for example for amounts that differ little.
 */
export interface Moments {
  /** How many units. */
  readonly units: number;
  readonly mean: number;
  /** Sum of the squared deviations from the mean. */
  readonly deviations: number;
}

/** Moments of two numbers per unit, such as clicks and page views. */
export interface PairMoments {
  readonly numerator: Moments;
  readonly denominator: Moments;
  /** Sum of the products of both deviations. */
  readonly products: number;
}

export const NO_UNITS: Moments = { units: 0, mean: 0, deviations: 0 };
export const NO_PAIRS: PairMoments = { numerator: NO_UNITS, denominator: NO_UNITS, products: 0 };

/** The moments with one more unit. */
export function addUnit(moments: Moments, value: number): Moments {
  return mergeMoments(moments, { units: 1, mean: value, deviations: 0 });
}

/** The pair of moments with one more unit. */
export function addPair(pair: PairMoments, numerator: number, denominator: number): PairMoments {
  const one = (value: number): Moments => ({ units: 1, mean: value, deviations: 0 });
  return mergePairs(pair, { numerator: one(numerator), denominator: one(denominator), products: 0 });
}

/** The moments of both sets of units together. */
export function mergeMoments(a: Moments, b: Moments): Moments {
  const units = a.units + b.units;
  if (units === 0) return NO_UNITS;
  const delta = b.mean - a.mean;
  return {
    units,
    mean: a.mean + (delta * b.units) / units,
    deviations: a.deviations + b.deviations + (delta * delta * a.units * b.units) / units,
  };
}

/** The pairs of both sets of units together. */
export function mergePairs(a: PairMoments, b: PairMoments): PairMoments {
  const units = a.numerator.units + b.numerator.units;
  const numeratorDelta = b.numerator.mean - a.numerator.mean;
  const denominatorDelta = b.denominator.mean - a.denominator.mean;
  const weight = units === 0 ? 0 : (a.numerator.units * b.numerator.units) / units;
  return {
    numerator: mergeMoments(a.numerator, b.numerator),
    denominator: mergeMoments(a.denominator, b.denominator),
    products: a.products + b.products + numeratorDelta * denominatorDelta * weight,
  };
}

/** The moments of `ones` units with the value 1 among `units`, the others 0. */
export function momentsOfCounts(units: number, ones: number): Moments {
  if (units === 0) return NO_UNITS;
  const mean = ones / units;
  return { units, mean, deviations: ones * (1 - mean) };
}
