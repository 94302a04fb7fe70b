import type { Condition, EvaluationResult, RolloutEntry } from '../protocol/protocol.ts';

/** An entry of a rollout with its buckets, `from` inclusive and `to` exclusive (EV-50). */
export interface Range extends RolloutEntry {
  readonly from: number;
  readonly to: number;
}

/** What one condition compared and what came out. */
export interface ConditionTrace {
  readonly condition: Condition;
  /** The attribute's value; undefined when it is missing, and for `$segment`, which is no attribute. */
  readonly actual: unknown;
  readonly matched: boolean;
}

/** What one rule did. Conditions after the first that failed are not walked. */
export interface RuleTrace {
  readonly rule_id: string;
  readonly matched: boolean;
  readonly conditions: readonly ConditionTrace[];
  /** The user's bucket, 0 to 99, if the rule matched and has a rollout; undefined when the user is not bucketed. */
  readonly bucket?: number | undefined;
  /** If the rule matched and has a rollout: its entries with their buckets. */
  readonly ranges?: readonly Range[] | undefined;
}

/** What one prerequisite served, and whether that is what was asked for. */
export interface PrerequisiteTrace {
  readonly flag_key: string;
  readonly variation: string;
  readonly holds: boolean;
  readonly result: EvaluationResult;
}

/** Why a flag gave its result: the same walk as `evaluate`, written down. */
export interface Explanation {
  readonly flag_key: string;
  readonly result: EvaluationResult;
  /** In order, up to the first that does not hold. */
  readonly prerequisites: readonly PrerequisiteTrace[];
  /** In order of evaluation, up to the rule that decided. */
  readonly rules: readonly RuleTrace[];
}

/** Where the walk writes down what it does. */
export interface Trace {
  readonly prerequisites: PrerequisiteTrace[];
  readonly rules: RuleTrace[];
}
