import { expect, test } from 'vitest';
import { isServable } from '../src/client.ts';
import { FLAG_TYPES, isOfFlagType, type Json } from '../src/index.ts';

const VALUES: readonly Json[] = [true, false, 'text', '', 1, 0, { a: 1 }, {}, [1], [], null];

test('a flag type accepts the values that the specification names, and json accepts neither scalars nor null', () => {
  const accepted = FLAG_TYPES.map((type) => [type, VALUES.filter((value) => isOfFlagType(type, value))]);
  expect(Object.fromEntries(accepted)).toEqual({
    boolean: [true, false],
    string: ['text', ''],
    number: [1, 0],
    json: [{ a: 1 }, {}, [1], []],
  });
});

test('a value is served only for a default value of the same JSON type', () => {
  const groups = [[true, false], ['text', ''], [1, 0], [{ a: 1 }, {}], [[1], []], [null]];
  for (const [index, defaults] of groups.slice(0, -1).entries())
    for (const defaultValue of defaults)
      expect(VALUES.filter((value) => isServable(value, defaultValue))).toEqual(groups[index]);
});

test('a default value of null or undefined accepts every value', () => {
  for (const value of VALUES) {
    expect(isServable(value, null)).toBe(true);
    expect(isServable(value, undefined)).toBe(true);
  }
});
