import { expect, test } from 'vitest';
import { conditionWords, OPERATORS, otherReading, readNumber, SEGMENT, valueFor } from './condition-words.ts';

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
  for (const text of ['4.2.0', '007', '', ' ', '1e5', '0x1', 'NaN']) expect(readNumber(text)).toBeUndefined();
});
