import { type Condition, createEvaluator, type Operator } from '@flagsvc/sdk-core';

/** Whether a condition holds for an attribute value, as the evaluator decides it. */
export type Probe = (attribute: string | number) => boolean;

/**
 * Evaluates one condition with the evaluator that clients use, so that only the evaluator defines what a number, a
 * version or a match is.
 */
export function createProbe(operator: Operator, value: Condition['value']): Probe {
  const rule = {
    id: 'probe',
    priority: 0,
    conditions: [{ attribute: 'probe', operator, value }],
    variation: 'yes',
  };
  const flag = {
    key: 'probe',
    flag_type: 'boolean' as const,
    enabled: true,
    variations: [
      { key: 'yes', value: true },
      { key: 'no', value: false },
    ],
    default_variation: 'no',
    targeting_rules: [rule],
  };
  const ruleset = { version: 0, environment_id: '', flags: [flag], segments: [], fetched_at: '' };
  const evaluator = createEvaluator(ruleset);
  return (attribute) => evaluator.evaluate('probe', { attributes: { probe: attribute } }).value === true;
}
