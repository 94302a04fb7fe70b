import { type Condition, type Context, createEvaluator } from '@flagsvc/sdk-core';

/** What one condition of a segment made of a context. */
export interface ConditionOutcome {
  readonly attribute: string;
  readonly operator: string;
  readonly value: unknown;
  readonly matched: boolean;
}

/** Asks the one evaluator: each condition becomes a flag of its own, so that all are told, not only up to the first that fails. */
export function testConditions(
  conditions: readonly Condition[],
  context: Context,
): { readonly matches: boolean; readonly conditions: readonly ConditionOutcome[] } {
  const variations = [
    { key: 'yes', value: true },
    { key: 'no', value: false },
  ];
  const evaluator = createEvaluator({
    version: 0,
    environment_id: '',
    fetched_at: '',
    segments: [],
    flags: conditions.map((condition, index) => ({
      key: String(index),
      flag_type: 'boolean',
      enabled: true,
      variations,
      default_variation: 'no',
      targeting_rules: [{ id: 'probe', priority: 0, conditions: [condition], variation: 'yes' }],
    })),
  });
  const outcomes = conditions.map(({ attribute, operator, value }, index) => ({
    attribute,
    operator,
    value,
    matched: evaluator.evaluate(String(index), context).value === true,
  }));
  return { matches: outcomes.every((outcome) => outcome.matched), conditions: outcomes };
}
