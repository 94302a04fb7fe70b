import { expect, test } from 'vitest';
import { fill, type Kept, match } from './matcher.ts';

const wrong = (expected: unknown, actual: unknown, kept: Kept = new Map()) =>
  match(expected, actual, kept).length;

test('compares objects in part and lists in full', () => {
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
])('knows %j', (expected, good, bad) => {
  expect(match(expected, good, new Map())).toEqual([]);
  expect(wrong(expected, bad)).toBeGreaterThan(0);
});

test('keeps, and compares with what it kept', () => {
  const kept: Kept = new Map();
  expect(match({ id: { $keep: 'id' } }, { id: [7] }, kept)).toEqual([]);
  expect(wrong({ $is: 'id' }, [7], kept)).toBe(0);
  expect(wrong({ $is: 'id' }, [8], kept)).toBe(1);
  expect(wrong({ $isnt: 'id' }, [7], kept)).toBe(1);
  expect(wrong({ $keep: 'x' }, undefined, kept)).toBe(1);
});

test('does not pass over what it does not know', () => {
  expect(() => match({ $novel: 1 }, 1, new Map())).toThrow('$novel');
});

test('fills in what was kept, in names too', () => {
  const kept: Kept = new Map<string, unknown>([
    ['id', 'x1'],
    ['list', [1]],
  ]);
  expect(fill({ '{id}': ['/a/{id}', { $kept: 'list' }], b: '{other}' }, kept)).toEqual({
    x1: ['/a/x1', [1]],
    b: '{other}',
  });
});
