import { isDeepStrictEqual } from 'node:util';
import type { Operator } from '@flagsvc/sdk-core';
import type { ConditionInput } from '../../targeting/condition-schema.ts';
import { literalPattern } from '../elsewhere/text-patterns.ts';
import type { Logic } from './json-logic.ts';
import { USER_KEY, writeCondition } from './write-condition.ts';

/**
 * The condition from which an export writes exactly this logic; undefined if there is none. Each comparison inside
 * suggests candidates, and a candidate is accepted only if writing it gives the same logic.
 */
export function recognizeCondition(logic: Logic): ConditionInput | undefined {
  const attribute = findAttribute(logic);
  if (attribute === undefined) return undefined;
  for (const part of comparisons(logic)) {
    for (const [operator, value] of candidates(part)) {
      const condition = { attribute, operator, value };
      if (isDeepStrictEqual(writeCondition(condition).sure, logic)) return condition;
    }
  }
  return undefined;
}

type Candidate = readonly [operator: Operator, value: ConditionInput['value']];

function candidates([operator, left, right, third]: readonly unknown[]): readonly Candidate[] {
  const value = right as ConditionInput['value'];
  switch (operator) {
    case '===':
      return isSubstring(left) ? patterns(String(value)) : both('is', 'is_not', value);
    case 'in':
      return Array.isArray(value)
        ? both('one_of', 'not_one_of', value)
        : both('contains', 'not_contains', left as ConditionInput['value']);
    case '>':
      return [['gt', value]];
    case '<':
      return [['lt', value]];
    case 'sem_ver':
      return [[value === '>' ? 'version_gt' : 'version_lt', third as string]];
    case 'or':
      // This may be the test for any scalar. That test does not contain the condition's value, so the candidates are
      // fixed.
      return [...both('contains', 'not_contains', ''), ['not_one_of', []]];
    default:
      return [];
  }
}

const both = (
  positive: Operator,
  negative: Operator,
  value: ConditionInput['value'],
): readonly Candidate[] => [
  [positive, value],
  [negative, value],
];

const isSubstring = (logic: unknown): boolean =>
  typeof logic === 'object' && logic !== null && Object.hasOwn(logic, 'substr');

const patterns = (text: string): readonly Candidate[] => [
  ['matches_regex', `^${literalPattern(text)}`],
  ['matches_regex', `${literalPattern(text)}$`],
];

/** Every operation in the logic, outermost first, as its operator followed by its parts. */
function* comparisons(logic: Logic): Generator<readonly unknown[]> {
  if (typeof logic !== 'object' || logic === null) return;
  if (Array.isArray(logic)) {
    for (const part of logic) yield* comparisons(part);
    return;
  }
  for (const [operator, parts] of Object.entries(logic)) {
    if (Array.isArray(parts)) yield [operator, ...parts];
    yield* comparisons(parts);
  }
}

/** The attribute that exported logic tests: the operand of `merge`, or of `starts_with` in a version comparison. */
function findAttribute(logic: Logic): string | undefined {
  for (const [operator, value] of comparisons(logic)) {
    if (operator !== 'merge' && operator !== 'starts_with') continue;
    if (isDeepStrictEqual(value, USER_KEY)) return 'user_key';
    const name = (value as { readonly var?: unknown } | null)?.var;
    if (typeof name === 'string') return name;
  }
  return undefined;
}
