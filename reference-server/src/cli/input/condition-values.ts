import type { Flag } from '../client/document.ts';

export type Rule = Flag['targeting_rules'][number];
export type Condition = Rule['conditions'][number];
export type Operator = Condition['operator'];
export type Scalar = string | number | boolean;

/** Operators that compare texts, so that their value is never a number. */
const TEXTUAL: readonly Operator[] = [
  'contains',
  'not_contains',
  'version_gt',
  'version_lt',
  'matches_regex',
];

/** The attribute that stands for the segments of a user. */
export const SEGMENT = '$segment';

/** The value of an operator that takes one, as people type it. */
export function singleValue(operator: Operator, text: string): Scalar {
  return TEXTUAL.includes(operator) ? unquoted(text) : scalarOf(text);
}

/** A number, true, false or a text; quotes make a text of anything. */
export function scalarOf(text: string): Scalar {
  const value = parsed(text);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : text;
}

function unquoted(text: string): string {
  const value = parsed(text);
  return typeof value === 'string' ? value : text;
}

/** Whether the bare text, typed as the value of the operator, is read as itself and not as a number or JSON. */
export function sameText(operator: Operator, text: string): boolean {
  return singleValue(operator, text) === text;
}

/** The JSON value of a text; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
