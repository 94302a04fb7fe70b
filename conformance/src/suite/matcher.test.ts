import { expect, test } from 'vitest';
import { match, type SavedValues, substitute } from './matcher.ts';

const wrong = (expected: unknown, actual: unknown, saved: SavedValues = new Map()) =>
  match(expected, actual, { saved }).length;

test('compares objects partially and lists completely', () => {
  expect(wrong({ a: 1 }, { a: 1, b: 2 })).toBe(0);
  expect(wrong({ a: { b: 1 } }, { a: { b: 2 } })).toBe(1);
  expect(wrong({ a: 1 }, {})).toBe(1);
  expect(wrong([1, 2], [1, 2])).toBe(0);
  expect(wrong([1], [1, 2])).toBe(1);
  expect(wrong({ a: null }, {})).toBe(1);
});

test.each([
  [{ $any: true }, 0, undefined],
  [{ $absent: true }, undefined, null],
  [{ $match: '^a' }, 'ab', 'ba'],
  [{ $type: 'integer' }, 3, 3.5],
  [{ $type: 'array' }, [], {}],
  [{ $min: 1, $max: 2 }, 1.5, 3],
  [{ $length: 2 }, [1, 2], [1]],
  [{ $oneOf: [1, { a: 1 }] }, { a: 1, b: 2 }, 2],
  [{ $has: [{ a: 1 }, { a: 2 }] }, [{ a: 2 }, { a: 1 }, {}], [{ a: 1 }]],
  [{ $none: { a: 1 } }, [{ a: 2 }], [{ a: 2 }, { a: 1, b: 1 }]],
  [{ $each: { a: 1 } }, [{ a: 1 }, { a: 1 }], [{ a: 1 }, {}]],
  [{ $exactly: { a: 1 } }, { a: 1 }, { a: 1, b: 2 }],
  [{ $sorted: 'desc' }, ['b', 'a'], ['a', 'b']],
  [{ $lacks: 'secret' }, { a: ['public'] }, { a: ['a secret'] }],
])('supports %j', (expected, good, bad) => {
  expect(match(expected, good, { saved: new Map() })).toEqual([]);
  expect(wrong(expected, bad)).toBeGreaterThan(0);
});

test('saves a value and compares with it', () => {
  const saved: SavedValues = new Map();
  expect(match({ id: { $keep: 'id' } }, { id: [7] }, { saved })).toEqual([]);
  expect(wrong({ $is: 'id' }, [7], saved)).toBe(0);
  expect(wrong({ $is: 'id' }, [8], saved)).toBe(1);
  expect(wrong({ $isnt: 'id' }, [7], saved)).toBe(1);
  expect(wrong({ $keep: 'x' }, undefined, saved)).toBe(1);
});

test('throws on a matcher that it does not know', () => {
  expect(() => match({ $novel: 1 }, 1, { saved: new Map() })).toThrow('$novel');
});

test('substitutes saved values, in names too', () => {
  const saved: SavedValues = new Map<string, unknown>([
    ['id', 'x1'],
    ['list', [1]],
  ]);
  expect(substitute({ '{id}': ['/a/{id}', { $kept: 'list' }], b: '{other}' }, saved)).toEqual({
    x1: ['/a/x1', [1]],
    b: '{other}',
  });
});
