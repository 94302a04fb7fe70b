import type {
  Condition,
  Context,
  EvaluationResult,
  Evaluator,
  Flag,
  GateTrace,
  Range,
  RuleTrace,
  TargetingRule,
} from '@flagsvc/sdk-core';
import { SEGMENT } from '../app/conditions/condition.ts';
import { type SegmentReader, type SegmentTest, segmentKeysOf } from './segment-tests.ts';

/** `here`: this step decided. `skipped`: the evaluation ended before it. */
export type StepState = 'passed' | 'failed' | 'here' | 'skipped';

/** One comparison, with what the context has. */
export interface Test {
  readonly condition: Condition;
  readonly state: 'met' | 'unmet' | 'skipped';
  /** The attribute's value; undefined when it is missing. */
  readonly actual: unknown;
  /** For `$segment`: each named segment, and whether the user is in. */
  readonly segments?: readonly SegmentTest[] | undefined;
}

/** Where a user, or another unit, stands in the shares of a rule. */
export interface Split {
  /** What is divided: `user_key`, or an attribute such as `company_id`. */
  readonly by: string;
  /** The text that was hashed; undefined or empty if the context has none. */
  readonly unit: string | undefined;
  /** The number of places: 100, or 10,000 in revision 3 of bucketing. */
  readonly places: number;
  /** From 0; undefined without a unit. */
  readonly bucket: number | undefined;
  /** Every gate must let the unit in before the shares count. */
  readonly gates: readonly GateTrace[];
  readonly ranges: readonly Range[];
  /** The share that the bucket is in; undefined outside of all shares, and outside of a gate. */
  readonly hit: Range | undefined;
}

export type Step =
  | { readonly kind: 'switch'; readonly state: StepState; readonly isArchived: boolean }
  | {
      readonly kind: 'needs';
      readonly state: StepState;
      readonly flagKey: string;
      readonly variation: string;
      /** What the other flag serves; undefined when it was not asked. */
      readonly result: EvaluationResult | undefined;
    }
  | {
      readonly kind: 'rule';
      readonly state: StepState;
      readonly id: string;
      readonly number: number;
      readonly tests: readonly Test[];
      readonly split: Split | undefined;
      /** The variation that the rule serves; undefined for a split. */
      readonly serves: string | undefined;
    }
  | { readonly kind: 'otherwise'; readonly state: StepState; readonly variation: string };

/** How one flag came to its result for one context, step by step. */
export interface Account {
  readonly flag: Flag;
  readonly result: EvaluationResult;
  readonly steps: readonly Step[];
}

/** The account of a flag, from the evaluator that SDKs use; undefined when the ruleset has no such flag. */
export function accountOf(
  evaluator: Evaluator,
  flagKey: string,
  at: { readonly context: Context; readonly segments: SegmentReader },
): Account | undefined {
  const flag = evaluator.ruleset.flags.find(({ key }) => key === flagKey);
  if (flag === undefined) return undefined;
  const { result, prerequisites, rules } = evaluator.explain(flagKey, at.context);
  const needs = flag.enabled ? (flag.prerequisites ?? []) : [];
  const isBlocked = prerequisites.some(({ holds }) => !holds);
  const sorted = flag.targeting_rules.toSorted((left, right) => left.priority - right.priority);
  const ruleSteps = sorted.map((rule, index) => ruleStep(rule, rules[index], { number: index + 1, ...at }));
  const byDefault = flag.enabled && !isBlocked && !ruleSteps.some(({ state }) => state === 'here');
  const steps: Step[] = [
    { kind: 'switch', state: flag.enabled ? 'passed' : 'failed', isArchived: flag.archived === true },
    ...needs.map(({ flag_key, variation }, index): Step => {
      const trace = prerequisites[index];
      const state = trace === undefined ? 'skipped' : trace.holds ? 'passed' : 'failed';
      return { kind: 'needs', state, flagKey: flag_key, variation, result: trace?.result };
    }),
    ...ruleSteps,
    {
      kind: 'otherwise',
      state: byDefault || !flag.enabled || isBlocked ? 'here' : 'skipped',
      variation: flag.default_variation,
    },
  ];
  return { flag, result, steps };
}

function ruleStep(
  rule: TargetingRule,
  trace: RuleTrace | undefined,
  at: { readonly number: number; readonly context: Context; readonly segments: SegmentReader },
): Step {
  const tests = rule.conditions.map((condition, index): Test => {
    const tested = trace?.conditions[index];
    if (tested === undefined) return { condition, state: 'skipped', actual: undefined };
    const { matched, actual } = tested;
    const isSegment = condition.attribute === SEGMENT;
    return {
      condition,
      state: matched ? 'met' : 'unmet',
      actual,
      segments: isSegment ? segmentKeysOf(condition).map((key) => at.segments(key, at.context)) : undefined,
    };
  });
  const split = trace?.ranges && splitOf(rule, trace, trace.ranges);
  // A user outside of the shares stays at this rule, and gets the default.
  const decides = split === undefined || split.hit !== undefined;
  return {
    kind: 'rule',
    state: trace === undefined ? 'skipped' : !trace.matched ? 'failed' : decides ? 'here' : 'passed',
    id: rule.id,
    number: at.number,
    tests,
    split,
    serves: rule.percentage_rollout ? undefined : (rule.variation ?? undefined),
  };
}

function splitOf({ bucketing }: TargetingRule, trace: RuleTrace, ranges: readonly Range[]): Split {
  const { by = 'user_key', unit, bucket, gates = [] } = trace;
  const isInside = bucket !== undefined && gates.every(({ passed }) => passed);
  return {
    by,
    unit,
    places: typeof bucketing === 'object' ? 10_000 : 100,
    bucket,
    gates,
    ranges,
    hit: isInside ? ranges.find(({ from, to }) => from <= bucket && bucket < to) : undefined,
  };
}
