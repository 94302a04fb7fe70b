import { expect, test } from 'vitest';
import { diff } from './diff.ts';

const rule = (id: string, priority: number, name = id) => ({ id, priority, name });

test('a diff has each changed field with its value before and after', () => {
  expect(diff({ a: 1, b: [1], c: 'x' }, { a: 2, b: [1], c: null })).toEqual({
    a: { from: 1, to: 2 },
    c: { from: 'x', to: null },
  });
});

test('the diff of a created or removed resource has every field that is not null', () => {
  expect(diff(null, { a: 1, b: null })).toEqual({ a: { from: null, to: 1 } });
  expect(diff({ a: 1 }, null)).toEqual({ a: { from: 1, to: null } });
});

test('a diff has only the rules that differ, by id', () => {
  const before = { targeting_rules: [rule('a', 1), rule('b', 2), rule('c', 3)] };
  const after = { targeting_rules: [rule('a', 1), rule('c', 3, 'changed'), rule('d', 4)] };
  expect(diff(before, after)).toEqual({
    targeting_rules: {
      from: [rule('b', 2), rule('c', 3)],
      to: [rule('c', 3, 'changed'), rule('d', 4)],
    },
  });
});

test('a diff has all rules when two share a priority', () => {
  const before = { targeting_rules: [rule('a', 1), rule('b', 1), rule('c', 2)] };
  const after = { targeting_rules: [rule('b', 1), rule('a', 1), rule('c', 2)] };
  expect(diff(before, after)).toEqual({
    targeting_rules: { from: before.targeting_rules, to: after.targeting_rules },
  });
});
