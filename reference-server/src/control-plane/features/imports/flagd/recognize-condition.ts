import { isDeepStrictEqual } from 'node:util';
import type { Operator } from '@flagsvc/sdk-core';
import type { ConditionInput } from '../../targeting/condition-schema.ts';
import type { Logic } from './json-logic.ts';
import { USER_KEY, writeQuestion } from './write-condition.ts';

/**
 * The condition that an export has written so; undefined for other logic. It is guessed from the comparisons inside and
 * then written again: what differs in anything is not recognized.
 */
export function recognizeCondition(logic: Logic): ConditionInput | undefined {
  const attribute = findAttribute(logic);
  if (attribute === undefined) return undefined;
  for (const part of comparisons(logic)) {
    for (const [operator, value] of guesses(part)) {
      const condition = { attribute, operator, value };
      if (isDeepStrictEqual(writeQuestion(condition).sure, logic)) return condition;
    }
  }
  return undefined;
}

type Guess = readonly [operator: Operator, value: ConditionInput['value']];

function guesses([operator, left, right, third]: readonly unknown[]): readonly Guess[] {
  const value = right as ConditionInput['value'];
  switch (operator) {
    case '===':
      return isCut(left) ? patterns(String(value)) : both('is', 'is_not', value);
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
      // The question for any scalar, which holds no value.
      return [...both('contains', 'not_contains', ''), ['not_one_of', []]];
    default:
      return [];
  }
}

const both = (positive: Operator, negative: Operator, value: ConditionInput['value']): readonly Guess[] => [
  [positive, value],
  [negative, value],
];

const isCut = (logic: unknown): boolean =>
  typeof logic === 'object' && logic !== null && Object.hasOwn(logic, 'substr');

const patterns = (text: string): readonly Guess[] => [
  ['matches_regex', `^${literalPattern(text)}`],
  ['matches_regex', `${literalPattern(text)}$`],
];

/** A text as a pattern that matches only itself. */
export function literalPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Every comparison inside, from the outside in, as its operator and its parts. */
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

/** Where an export reads its attribute: `merge` makes a list of it; versions ask for the attribute itself. */
function findAttribute(logic: Logic): string | undefined {
  for (const [operator, value] of comparisons(logic)) {
    if (operator !== 'merge' && operator !== 'starts_with') continue;
    if (isDeepStrictEqual(value, USER_KEY)) return 'user_key';
    const name = (value as { readonly var?: unknown } | null)?.var;
    if (typeof name === 'string') return name;
  }
  return undefined;
}
