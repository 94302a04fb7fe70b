const ROOT_2_PI = Math.sqrt(2 * Math.PI);
/** Beyond this, the series loses digits by cancellation and the continued fraction converges quickly. */
const SERIES_MAX = 3;

/** Density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / ROOT_2_PI;
}

/** Probability that a standard normal value is at most `x`, with a relative error below 1e-12 in both tails. */
export function normalProbability(x: number): number {
  if (x > SERIES_MAX) return 1 - upperTail(x);
  if (x < -SERIES_MAX) return upperTail(-x);
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * Number.EPSILON; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + sum * normalDensity(x);
}

/** The value that a standard normal one falls below with this probability; infinite for 0 and 1. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0)) return probability === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (!(probability < 1)) return probability === 1 ? Number.POSITIVE_INFINITY : Number.NaN;
  // Only the lower tail has relative precision.
  if (probability > 0.5) return -normalQuantile(1 - probability);
  let low = -40;
  let high = 0;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) return high;
    if (normalProbability(middle) < probability) low = middle;
    else high = middle;
  }
}

/** Mills' ratio as a continued fraction, from its 200th level: x + 1/(x + 2/(x + 3/(x + …))). */
function upperTail(x: number): number {
  let fraction = x;
  for (let level = 200; level > 0; level--) fraction = x + level / fraction;
  return normalDensity(x) / fraction;
}
