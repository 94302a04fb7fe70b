import { type Condition, type Context, createEvaluator, type Flag } from '@flagsvc/sdk-core';
import { requireReadable } from '../../data-plane/pattern-work.ts';
import { compileRuleset } from '../../ruleset/compile.ts';
import type { SegmentRow } from '../../storage/flag-tables.ts';

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
export function testSegment(segment: SegmentRow, context: Context): SegmentOutcome {
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
  requireReadable(evaluator.ruleset, context);
  const holds = (index: number): boolean => evaluator.evaluate(String(index), context).value === true;
  return {
    matches: holds(0),
    included: holds(1),
    excluded: holds(2),
    conditions: conditions.map(({ attribute, operator, value }, index) => ({
      attribute,
      operator,
      value,
      matched: holds(index + asked.length - conditions.length),
    })),
  };
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
