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

/** What one condition of a segment made of a context. */
export interface ConditionOutcome {
  readonly attribute: string;
  readonly operator: string;
  readonly value: unknown;
  readonly matched: boolean;
}

/** What a segment made of a context, and why. */
export interface SegmentOutcome {
  readonly matches: boolean;
  /** Whether the user is on the list of those who are in whatever the conditions say. */
  readonly included: boolean;
  /** Whether the user is on the list of those who are out whatever else holds. */
  readonly excluded: boolean;
  readonly conditions: readonly ConditionOutcome[];
}

/**
 * Asks the one evaluator and the compiler that rulesets are made with: each condition becomes a flag of its own, so
 * that all are told, not only up to the first that fails.
 */
export async function testSegment(segment: SegmentRow, context: Context): Promise<SegmentOutcome> {
  const conditions = JSON.parse(segment.conditions_json) as readonly Condition[];
  const listOf = (json: string | null): Condition => ({
    attribute: 'user_key',
    operator: 'one_of',
    value: JSON.parse(json ?? '[]') as readonly string[],
  });
  const asked: readonly Condition[] = [
    { attribute: '$segment', operator: 'one_of', value: [segment.key] },
    listOf(segment.included_json),
    listOf(segment.excluded_json),
    ...conditions,
  ];
  const flags = asked.map((condition, index) => probe(String(index), condition));
  const evaluator = createEvaluator(
    compileRuleset({ environmentId: '', version: 0, flags, segments: [segment] }, ''),
  );
  const work = requireWork(measureSegment(evaluator, segment, context));
  const [matches, included, excluded, ...matched] = await heavyWork.run(work, askEach(evaluator, context));
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

/** The first flag asks all that the others ask. */
function measureSegment(
  { ruleset }: Evaluator,
  { key }: SegmentRow,
  context: Context,
): number | ExcessiveWork {
  const load = createPatternLoad(ruleset.flags, conditionsOf(ruleset.segments));
  const measured = measureFlag(load, '0', lengthsOf(context));
  if (typeof measured === 'number') return measured;
  const { flagKey: _probe, ...tooMuch } = measured;
  return { ...tooMuch, who: `The segment "${key}"` };
}

/** Which of the flags are true, in order. */
function* askEach(evaluator: Evaluator, context: Context): Steps<readonly boolean[]> {
  const answers: boolean[] = [];
  for (const index of evaluator.ruleset.flags.keys()) {
    answers.push(evaluator.evaluate(String(index), context).value === true);
    yield;
  }
  return answers;
}

/** The row of a flag that is true where the condition holds. */
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
