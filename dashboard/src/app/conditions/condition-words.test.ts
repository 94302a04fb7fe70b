import { expect, test } from 'vitest';
import { isComplete, SEGMENT } from './condition.ts';
import {
  conditionsText,
  conditionWords,
  OPERATORS,
  operatorsOf,
  otherReading,
  readNumber,
  valueFor,
} from './condition-words.ts';

const name = (key: string) => ({ staff: 'Staff', beta: 'Beta testers' })[key] ?? key;
const words = (
  attribute: string,
  operator: (typeof OPERATORS)[number],
  value: string | string[] | boolean,
) => {
  const { subject, verb, object } = conditionWords({ attribute, operator, value }, name);
  return `${subject} ${verb} ${object}`;
};

test('a condition is a part of a sentence', () => {
  expect(words('country', 'one_of', ['NL', 'BE'])).toBe('country is one of NL, BE');
  expect(words('app_version', 'version_gt', '4.2.0')).toBe('app_version is newer than 4.2.0');
  expect(words(SEGMENT, 'one_of', ['staff', 'beta'])).toBe('the user is in Staff or Beta testers');
  expect(words('trial', 'is', true)).toBe('trial is yes');
  expect(words('name', 'is', '  ')).toBe('name is (blank)');
});

test('each operator has words of its own', () => {
  expect(new Set(OPERATORS.map((operator) => words('a', operator, 'b'))).size).toBe(11);
});

test('segments have comparisons of their own', () => {
  const verbs = operatorsOf(SEGMENT).map((operator) => words(SEGMENT, operator, 'staff'));
  expect(new Set(verbs)).toEqual(new Set(['the user is in Staff', 'the user is not in Staff']));
});

test('several conditions are one sentence', () => {
  const [plan, age] = [
    { attribute: 'plan', operator: 'is', value: 'pro' },
    { attribute: 'age', operator: 'gt', value: 17 },
  ] as const;
  expect(conditionsText([plan, age])).toBe('plan is pro and age is more than 17');
  expect(conditionsText([])).toBe('');
});

test('a condition is complete with an attribute and a value that fits the comparison', () => {
  expect(isComplete({ attribute: 'plan', operator: 'is', value: 'pro' })).toBe(true);
  expect(isComplete({ attribute: ' ', operator: 'is', value: 'pro' })).toBe(false);
  expect(isComplete({ attribute: 'plan', operator: 'is', value: '' })).toBe(false);
  expect(isComplete({ attribute: 'plan', operator: 'one_of', value: [] })).toBe(false);
  expect(isComplete({ attribute: 'age', operator: 'gt', value: '17' })).toBe(false);
  expect(isComplete({ attribute: 'age', operator: 'gt', value: 0 })).toBe(true);
});

test('another comparison keeps what was typed', () => {
  expect(valueFor('one_of', 'NL')).toEqual(['NL']);
  expect(valueFor('one_of', '')).toEqual([]);
  expect(valueFor('is', ['NL', 'BE'])).toBe('NL');
  expect(valueFor('gt', '42')).toBe(42);
  expect(valueFor('contains', 42)).toBe('42');
});

test('a text that could be a number or a yes or no offers the other reading', () => {
  expect(otherReading('42')).toBe(42);
  expect(otherReading('true')).toBe(true);
  expect(otherReading(42)).toBe('42');
  expect(otherReading(['1', '2'])).toEqual([1, 2]);
  expect(otherReading(['1', 'x'])).toBeUndefined();
  for (const text of ['4.2.0', '007', '', ' ', '1e5', '0x1', 'NaN', '9007199254740993'])
    expect(readNumber(text)).toBeUndefined();
});
