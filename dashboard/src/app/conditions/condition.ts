import type { Flag } from '../../api/types.ts';

/** One comparison, as rules of flags and segments have it. */
export type Condition = Flag['targeting_rules'][number]['conditions'][number];
export type Operator = Condition['operator'];
export type ConditionValue = Condition['value'];

/** The attribute that stands for membership of segments. */
export const SEGMENT = '$segment';

/** A condition that still needs an attribute and a value. */
export const NEW_CONDITION: Condition = { attribute: '', operator: 'is', value: '' };

/** True for a condition that needs nothing more to be saved. */
export function isComplete({ attribute, operator, value }: Condition): boolean {
  if (attribute.trim() === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return operator === 'gt' || operator === 'lt' ? typeof value === 'number' : value !== '';
}
