/** How strongly the test believes in the planned shares before it sees a unit: as much as this many units would. */
const PRIOR_UNITS = 1000;
/** An alarm is raised above this Bayes factor; at most one in a thousand sound experiments ever reaches it. */
const ALARM_FACTOR = 1000;

/** Whether the arms got their planned shares of units. */
export interface SampleRatio {
  /** Natural logarithm of the Bayes factor of "the shares differ from the plan" against "they do not". */
  readonly logBayesFactor: number;
  /** False once the factor exceeds 1,000: then something treats the arms unequally, and no result can be trusted. */
  readonly ok: boolean;
}

/**
 * Tests the numbers of units per arm against the planned shares, valid at every look (Lindon and Malek, "Anytime-valid
 * inference for multinomial count data", 2022). A chi-square test would raise false alarms when repeated.
 *
 * `shares` are positive and sum to 1, in the order of `counts`.
 */
export function checkSampleRatio(counts: readonly number[], shares: readonly number[]): SampleRatio {
  const total = counts.reduce((sum, count) => sum + count, 0) + PRIOR_UNITS;
  // The logarithms of the gamma functions, by Stirling's formula with its linear parts cancelled by hand: differences of
  // large logarithms would leave no digits.
  let factor =
    (Math.log(total) - Math.log(PRIOR_UNITS)) / 2 + stirlingRest(PRIOR_UNITS) - stirlingRest(total);
  shares.forEach((share, arm) => {
    const prior = PRIOR_UNITS * share;
    const seen = prior + counts[arm]!;
    const expected = total * share;
    factor += seen * Math.log1p((seen - expected) / expected);
    factor += (Math.log(prior) - Math.log(seen)) / 2 + stirlingRest(seen) - stirlingRest(prior);
  });
  return { logBayesFactor: factor, ok: factor <= Math.log(ALARM_FACTOR) };
}

/** What Stirling's formula leaves of ln Γ(z): ln Γ(z) − (z − ½) ln z + z − ½ ln 2π. */
function stirlingRest(z: number): number {
  if (z < 16) return stirlingRest(z + 1) + (z + 0.5) * Math.log1p(1 / z) - 1;
  const square = 1 / (z * z);
  return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / z;
}
