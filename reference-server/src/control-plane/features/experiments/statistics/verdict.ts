import { type Comparison, compareArms, type Interval } from './compare.ts';
import { oneSidedWidth, type Sequence } from './confidence-sequence.ts';
import type { Estimate } from './estimate.ts';

/** Below these, an arm has too little data for any interval, and no number is shown. */
export const UNITS_MIN = 100;
/** Units whose value is not 0. */
export const RESPONSES_MIN = 5;

/** An arm with enough data to judge: its estimate and how many of its units have a value other than 0. */
export interface Arm {
  readonly estimate: Estimate;
  readonly responses: number;
}

/**
 * - `collecting`: an arm is below the minimum.
 * - `winning`, `losing`: the interval excludes 0; this may be acted on at any look.
 * - `inconclusive`: the interval includes 0 so far.
 */
export type Verdict = 'collecting' | 'winning' | 'losing' | 'inconclusive';

/** What a rising metric means. */
export type Direction = 'increase' | 'decrease';

export interface Judgement {
  readonly verdict: Verdict;
  /** Undefined while collecting. */
  readonly comparison: Comparison | undefined;
}

export interface Judging {
  /** The direction that is better. */
  readonly direction: Direction;
  readonly sequence: Sequence;
}

/** Whether both arms have enough data to be compared. */
export function isComparable(...arms: readonly Arm[]): boolean {
  return arms.every(({ estimate, responses }) => estimate.units >= UNITS_MIN && responses >= RESPONSES_MIN);
}

/**
 * Judges an arm against the control. With several arms, the caller divides alpha by their number without the control
 * (Bonferroni), so that the whole experiment keeps it.
 */
export function judge(control: Arm, treatment: Arm, { direction, sequence }: Judging): Judgement {
  if (!isComparable(control, treatment)) return { verdict: 'collecting', comparison: undefined };
  const comparison = compareArms(control.estimate, treatment.estimate, sequence);
  return { verdict: verdictOf(comparison.differenceInterval, direction), comparison };
}

/**
 * Whether a guardrail metric got worse than the control by more than `tolerance` (relative, 0 or more): the one-sided
 * interval excludes less harm. Wrong in at most alpha of the experiments, at all looks together.
 */
export function isGuardrailBreached(
  control: Arm,
  treatment: Arm,
  { direction, sequence, tolerance = 0 }: Judging & { readonly tolerance?: number },
): boolean {
  if (!isComparable(control, treatment)) return false;
  const sign = direction === 'increase' ? -1 : 1;
  const factor = 1 + sign * tolerance;
  const harm = sign * (treatment.estimate.value - factor * control.estimate.value);
  const error = Math.sqrt(treatment.estimate.variance + factor ** 2 * control.estimate.variance);
  return harm > oneSidedWidth(control.estimate.units + treatment.estimate.units, sequence) * error;
}

function verdictOf({ low, high }: Interval, direction: Direction): Verdict {
  if (low > 0) return direction === 'increase' ? 'winning' : 'losing';
  if (high < 0) return direction === 'increase' ? 'losing' : 'winning';
  return 'inconclusive';
}
