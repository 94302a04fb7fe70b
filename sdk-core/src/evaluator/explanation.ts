import type { BucketRange, Condition, EvaluationResult } from '../protocol/protocol.ts';

/** A rollout entry and its buckets (EV-50), or a range of revision 3, which has no percentage. */
export interface Range extends BucketRange {
  readonly variation: string;
  readonly percentage?: number;
}

/** One gate of revision 3, and the unit's bucket under the gate's salt. */
export interface GateTrace extends BucketRange {
  readonly salt: string;
  /** 0 to 9,999; undefined without a unit. */
  readonly bucket: number | undefined;
  /** False if the unit is outside the gate, so that the default is served. */
  readonly passed: boolean;
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
  // The following are present if the rule matched and has a rollout.
  /** What was bucketed: `user_key` or, in revision 3, possibly an attribute. */
  readonly by?: string | undefined;
  /** The bucketed text; undefined or empty if there is none, so that the default is served. */
  readonly unit?: string | undefined;
  /** The unit's bucket, 0 to 99, or 0 to 9,999 in revision 3. Undefined for a unit without a bucket. */
  readonly bucket?: number | undefined;
  /** All gates of revision 3, in listed order. */
  readonly gates?: readonly GateTrace[] | undefined;
  /** The rollout's entries or ranges with their buckets. The first that contains the bucket is served. */
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
