import { type Sequence, twoSidedWidth } from './confidence-sequence.ts';
import { normalQuantile } from './normal.ts';

/** More units than any service has; a plan that needs more is no plan. */
const UNITS_MAX = 1e12;

/** What a plan is made from. */
export interface Plan {
  /** The metric's mean in the control arm, above 0. */
  readonly mean: number;
  /** The variance between units of the control; for a share of units, `mean * (1 - mean)`. */
  readonly unitVariance: number;
  /** The smallest relative difference worth finding, such as 0.05. */
  readonly lift: number;
  /** Shares of the control and of the arm among the units of both; they sum to 1. */
  readonly shares: readonly [number, number];
  /** Wanted probability of finding the difference, such as 0.9. */
  readonly power: number;
  readonly sequence: Sequence;
}

/**
 * How many units, in both arms together, make the interval exclude 0 with the wanted probability; undefined where no
 * number below 1e12 does. Looking earlier only finds differences sooner.
 */
export function planUnits(plan: Plan): number | undefined {
  const [control, treatment] = plan.shares;
  // Amounts that rise by a fifth vary by a fifth more. Counts and shares vary less than that, so they get a reserve.
  const growth = Math.max(1, 1 + plan.lift) ** 2;
  const deviation = Math.sqrt(plan.unitVariance * (1 / control + growth / treatment));
  const effect = Math.abs(plan.mean * plan.lift);
  const reserve = normalQuantile(plan.power);
  const suffices = (units: number): boolean =>
    effect >= (twoSidedWidth(units, plan.sequence) + reserve) * (deviation / Math.sqrt(units));
  return leastWhole(suffices);
}

/**
 * As `planUnits`, with intervals that are narrowest at the planned number of units, which is therefore the smallest
 * possible. The experiment's `tuningUnits` is the number returned.
 */
export function planTunedUnits(plan: Omit<Plan, 'sequence'>, alpha: number): number | undefined {
  let tuningUnits = 5000;
  // The width depends on the logarithm of the tuning, so a few steps reach the fixed point.
  for (let step = 0; step < 50; step++) {
    const units = planUnits({ ...plan, sequence: { alpha, tuningUnits } });
    if (units === undefined || Math.abs(units - tuningUnits) <= 1) return units;
    tuningUnits = units;
  }
  return tuningUnits;
}

/** The least whole number from 2 on that suffices, where all above it do, too. */
function leastWhole(suffices: (units: number) => boolean): number | undefined {
  let high = 2;
  while (!suffices(high)) {
    high *= 2;
    if (high > UNITS_MAX) return undefined;
  }
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (suffices(middle)) high = middle;
    else low = middle;
  }
  return high;
}
