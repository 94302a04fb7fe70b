import { type Condition, type Context, createEvaluator, type Evaluator, type Flag } from '@flagsvc/sdk-core';
import { heavyWork, type Steps } from '../../../data-plane/evaluate/heavy-work.ts';
import {
  conditionsOf,
  createPatternLoad,
  type ExcessiveWork,
  lengthsOf,
  measureFlag,
} from '../../../data-plane/evaluate/pattern-work.ts';
import { requireWork } from '../../../data-plane/evaluate/require-work.ts';
import { compileRuleset } from '../../../publishing/compile.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';

/** A condition of a segment, and whether a context matches it. */
export interface ConditionOutcome {
  readonly attribute: string;
  readonly operator: string;
  readonly value: unknown;
  readonly matched: boolean;
}

/** Whether a context belongs to a segment, and why. */
export interface SegmentOutcome {
  readonly matches: boolean;
  /** Whether the user key is in the list of those that always belong. */
  readonly included: boolean;
  /** Whether the user key is in the list of those that never belong. */
  readonly excluded: boolean;
  readonly conditions: readonly ConditionOutcome[];
}

/**
 * Tests a segment with the compiler and the evaluator that serve clients. Each condition becomes a flag of its own, so
 * that conditions after a failed one are tested too. Throws LIMIT_EXCEEDED when matching patterns would take too much
 * work.
 */
export async function testSegment(segment: SegmentRow, context: Context): Promise<SegmentOutcome> {
  const conditions = JSON.parse(segment.conditions_json) as readonly Condition[];
  const listOf = (json: string | null): Condition => ({
    attribute: 'user_key',
    operator: 'one_of',
    value: JSON.parse(json ?? '[]') as readonly string[],
  });
  const tested: readonly Condition[] = [
    { attribute: '$segment', operator: 'one_of', value: [segment.key] },
    listOf(segment.included_json),
    listOf(segment.excluded_json),
    ...conditions,
  ];
  const flags = tested.map((condition, index) => probe(String(index), condition));
  const evaluator = createEvaluator(
    compileRuleset({ environmentId: '', version: 0, flags, segments: [segment] }, ''),
  );
  const work = requireWork(measureSegment(evaluator, segment, context));
  const [matches, included, excluded, ...matched] = await heavyWork.run(
    work,
    evaluateAll(evaluator, context),
  );
  return {
    matches: matches!,
    included: included!,
    excluded: excluded!,
    conditions: conditions.map(({ attribute, operator, value }, index) => ({
      attribute,
      operator,
      value,
      matched: matched[index]!,
    })),
  };
}

/** Measures the first flag only: it refers to the segment, and so contains the conditions of all other flags. */
function measureSegment(
  { ruleset }: Evaluator,
  { key }: SegmentRow,
  context: Context,
): number | ExcessiveWork {
  const load = createPatternLoad(ruleset.flags, conditionsOf(ruleset.segments));
  const measured = measureFlag(load, '0', lengthsOf(context));
  if (typeof measured === 'number') return measured;
  const { flagKey: _probe, ...excessiveWork } = measured;
  return { ...excessiveWork, who: `The segment "${key}"` };
}

/** Which of the flags are true, in order. */
function* evaluateAll(evaluator: Evaluator, context: Context): Steps<readonly boolean[]> {
  const results: boolean[] = [];
  for (const index of evaluator.ruleset.flags.keys()) {
    results.push(evaluator.evaluate(String(index), context).value === true);
    yield;
  }
  return results;
}

/** The row of a flag that is true when the condition matches. */
function probe(key: string, condition: Condition) {
  const rule = { id: 'probe', priority: 0, conditions: [condition], variation: 'yes' };
  const variations: Flag['variations'] = [
    { key: 'yes', value: true },
    { key: 'no', value: false },
  ];
  return {
    key,
    flag_type: 'boolean',
    status: 'active',
    enabled: 1,
    client_side: 0,
    variations_json: JSON.stringify(variations),
    default_variation: 'no',
    rules_json: JSON.stringify([rule]),
    prerequisites_json: '[]',
  } as const;
}
