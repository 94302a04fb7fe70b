import type { Condition, EvaluationResult, RolloutEntry } from '../protocol/protocol.ts';

/** A rollout entry and its range of buckets: `from` inclusive, `to` exclusive (EV-50). */
export interface Range extends RolloutEntry {
  readonly from: number;
  readonly to: number;
}

/** One condition, the value that it was compared with, and whether it matched. */
export interface ConditionTrace {
  readonly condition: Condition;
  /** The attribute's value; undefined if it is missing, and for `$segment`, which is not an attribute. */
  readonly actual: unknown;
  readonly matched: boolean;
}

/** How one rule was tested. */
export interface RuleTrace {
  readonly rule_id: string;
  readonly matched: boolean;
  /** In listed order, up to the first that did not match. */
  readonly conditions: readonly ConditionTrace[];
  /** The user's bucket, 0 to 99, if the rule matched and has a rollout. Undefined for a user without a bucket. */
  readonly bucket?: number | undefined;
  /** The rollout's entries with their buckets, if the rule matched and has a rollout. */
  readonly ranges?: readonly Range[] | undefined;
}

/** One prerequisite, what its flag served, and whether the prerequisite holds. */
export interface PrerequisiteTrace {
  readonly flag_key: string;
  readonly variation: string;
  readonly holds: boolean;
  readonly result: EvaluationResult;
}

/** Why a flag gave its result. */
export interface Explanation {
  readonly flag_key: string;
  readonly result: EvaluationResult;
  /** In listed order, up to the first that does not hold. */
  readonly prerequisites: readonly PrerequisiteTrace[];
  /** In order of evaluation, up to the rule that decided. */
  readonly rules: readonly RuleTrace[];
}
