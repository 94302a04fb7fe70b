import { anytimeProbability, type Sequence, twoSidedWidth } from './confidence-sequence.ts';
import type { Estimate } from './estimate.ts';

/** Bounds of an interval. An infinite bound says that the data exclude nothing on that side. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What an arm does to a metric, against the control. */
export interface Comparison {
  /** Treatment minus control, in the metric's unit. */
  readonly difference: number;
  readonly differenceInterval: Interval;
  /** Relative difference: 0.1 is 10 % more than the control. NaN where the control is not above 0. */
  readonly lift: number;
  /** Excludes 0 exactly when `differenceInterval` does. Unbounded while the control may be 0. */
  readonly liftInterval: Interval;
  /** The anytime-valid p-value of "no difference". */
  readonly probability: number;
}

const EVERYTHING: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** Compares an arm with the control, at any time of an experiment. */
export function compareArms(control: Estimate, treatment: Estimate, sequence: Sequence): Comparison {
  const units = control.units + treatment.units;
  const difference = treatment.value - control.value;
  const error = Math.sqrt(control.variance + treatment.variance);
  const width = twoSidedWidth(units, sequence);
  if (!Number.isFinite(difference) || !Number.isFinite(error)) return unknown(difference);
  return {
    difference,
    differenceInterval: { low: difference - width * error, high: difference + width * error },
    lift: control.value > 0 ? difference / control.value : Number.NaN,
    liftInterval: liftInterval(control, treatment, width),
    probability:
      error === 0 ? (difference === 0 ? 1 : 0) : anytimeProbability(difference / error, units, sequence),
  };
}

/**
 * All lifts whose difference from the data is within `width` standard errors (Fieller's interval). The usual interval
 * by the delta method raised false alarms in up to 17 % of A/A experiments on rare purchases; this one raises those of
 * the difference, since at a lift of 0 both ask the same question.
 */
function liftInterval(control: Estimate, treatment: Estimate, width: number): Interval {
  if (!(control.value > 0)) return EVERYTHING;
  const square = control.value ** 2 - width ** 2 * control.variance;
  if (square <= 0) return EVERYTHING;
  const product = control.value * treatment.value;
  const rest = treatment.value ** 2 - width ** 2 * treatment.variance;
  const root = Math.sqrt(Math.max(0, product ** 2 - square * rest));
  return { low: (product - root) / square - 1, high: (product + root) / square - 1 };
}

function unknown(difference: number): Comparison {
  return {
    difference,
    differenceInterval: EVERYTHING,
    lift: Number.NaN,
    liftInterval: EVERYTHING,
    probability: 1,
  };
}
