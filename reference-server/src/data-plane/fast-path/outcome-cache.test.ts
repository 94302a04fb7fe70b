import { type Context, createEvaluator, type Flag, type TargetingRule } from '@flagsvc/sdk-core';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type AddMembers, beginPieces, createAddMembers } from './flag-members.ts';
import { createCases, createCaseTable } from './outcome-cache.ts';

const NOBODY = { version: 1, environment_id: 'env_1', flags: [], fetched_at: '2026-11-20T10:00:00.000Z' };
const segments = [
  { id: 'seg_1', key: 'staff', conditions: [{ attribute: 'role', operator: 'is' as const, value: 'staff' }] },
];
const ruleset = { ...NOBODY, segments };

function flag(key: string, targeting_rules: TargetingRule[], changes: Partial<Flag> = {}): Flag {
  return {
    key,
    flag_type: 'string',
    enabled: true,
    variations: [
      { key: 'on', value: 'an' },
      { key: 'off', value: 'aus' },
      { key: 'half', value: '½' },
    ],
    default_variation: 'off',
    targeting_rules,
    ...changes,
  };
}

const plan = (value: string): TargetingRule => ({
  id: `rule_${value}`,
  priority: 1,
  conditions: [{ attribute: 'plan', operator: 'is', value }],
  variation: 'on',
});

/** Writes with cases; `addAll` is called where the flags are evaluated one by one. */
function writer(flags: readonly Flag[], perPage = 32, needed: readonly Flag[] = []) {
  const group = { ruleset, flags, needed };
  const addAll = vi.fn<AddMembers>(createAddMembers(group));
  const add = createCases(group, { ...createCaseTable(flags.length), perPage }, addAll);
  return {
    addAll,
    write(context: Context, mayKeep = true): Record<string, unknown> {
      const pieces = { ...beginPieces(), mayKeep };
      add(context, pieces);
      const bytes = Buffer.concat(pieces.list.slice(0, pieces.count));
      expect(bytes.length).toBe(pieces.bytes);
      return JSON.parse(`{${bytes.toString().slice(1)}}`);
    },
  };
}

const user = (value: string): Context => ({ user_key: 'u', attributes: { plan: value } });

test('evaluates no flag by itself where the same rules decide as before', () => {
  const { addAll, write } = writer([flag('a', [plan('pro')]), flag('b', [plan('free')]), flag('c', [])]);
  const first = write(user('pro'));
  expect(addAll).toHaveBeenCalledTimes(1);
  expect(write(user('pro'))).toEqual(first);
  expect(addAll).toHaveBeenCalledTimes(1);
  expect(write(user('none'))).not.toEqual(first);
  expect(addAll).toHaveBeenCalledTimes(2);
  // Nothing asks for the difference.
  write(user('neither'));
  expect(addAll).toHaveBeenCalledTimes(2);
});

test('copies a case as one piece', () => {
  const group = { ruleset, flags: [flag('a', [plan('pro')]), flag('b', [plan('free')])], needed: [] };
  const add = createCases(group, createCaseTable(2), createAddMembers(group));
  const counts = [1, 2].map(() => {
    const pieces = beginPieces();
    add(user('pro'), pieces);
    return pieces.count;
  });
  expect(counts).toEqual([2, 1]);
});

test('writes one new case an answer, so that none waits for many', () => {
  const { addAll, write } = writer([flag('a', [plan('pro')])]);
  for (let times = 0; times < 3; times++) write(user('pro'), false);
  expect(addAll).toHaveBeenCalledTimes(3);
  const group = { ruleset, flags: [flag('a', [plan('pro')])], needed: [] };
  const pieces = beginPieces();
  createCases(group, createCaseTable(1), addAll)(user('pro'), pieces);
  expect(pieces.mayKeep).toBe(false);
  expect(beginPieces(pieces).mayKeep).toBe(true);
});

test('asks once an answer, whichever pages ask', () => {
  const table = createCaseTable(2);
  const pages = ['a', 'b'].map((key) => {
    const group = { ruleset, flags: [flag(key, [plan('pro')])], needed: [] };
    return createCases(group, table, createAddMembers(group));
  });
  const [question] = table.questions.values();
  const evaluate = vi.spyOn(question!.evaluator, 'evaluate');
  const pieces = beginPieces();
  for (const add of pages) add(user('pro'), pieces);
  expect(evaluate).toHaveBeenCalledTimes(1);
  for (const add of pages) add(user('free'), beginPieces(pieces));
  expect(evaluate).toHaveBeenCalledTimes(3);
});

test('keeps no more cases than it may, and stops looking when most users are in none', () => {
  const keys = Array.from({ length: 10 }, (_, index) => `plan-${index}`);
  const { addAll, write } = writer(
    keys.map((key) => flag(key, [plan(key)])),
    2,
  );
  for (const key of keys) write(user(key));
  const calls = (key: string): number => {
    addAll.mockClear();
    write(user(key));
    return addAll.mock.calls.length;
  };
  expect(keys.map(calls)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  for (let times = 0; times < 1_100; times++) write(user('plan-9'));
  expect(calls('plan-0')).toBe(1);
});

test('asks nothing where the flags ask nothing', () => {
  const flags = [flag('a', []), flag('b', [plan('pro')], { enabled: false })];
  const addAll = vi.fn<AddMembers>();
  expect(createCases({ ruleset, flags, needed: [] }, createCaseTable(2), addAll)).toBe(addAll);
});

test('keeps fewer cases a page where there are many flags, and questions while most are of flags that are there', () => {
  expect(createCaseTable(0).perPage).toBe(32);
  expect(createCaseTable(1_000).perPage).toBe(32);
  expect(createCaseTable(10_000).perPage).toBe(6);
  const before = createCaseTable(1);
  for (let index = 0; index < 3; index++) writerInto(before, `plan-${index}`);
  expect(before.questions.size).toBe(3);
  expect(createCaseTable(2, before).questions).toBe(before.questions);
  expect(createCaseTable(1, before).questions.size).toBe(0);
});

function writerInto(table: ReturnType<typeof createCaseTable>, key: string): void {
  createCases({ ruleset, flags: [flag(key, [plan(key)])], needed: [] }, table, () => {});
}

const condition = fc.constantFrom(
  { attribute: 'plan', operator: 'is', value: 'pro' },
  { attribute: 'plan', operator: 'is_not', value: 'pro' },
  { attribute: 'plan', operator: 'one_of', value: ['pro', 'team'] },
  { attribute: 'age', operator: 'gt', value: 17 },
  { attribute: '$segment', operator: 'one_of', value: ['staff'] },
  { attribute: 'user_key', operator: 'contains', value: '1' },
) as fc.Arbitrary<TargetingRule['conditions'][number]>;
const variation = fc.constantFrom('on', 'off', 'half', 'unknown');
const rule: fc.Arbitrary<TargetingRule> = fc.record({
  id: fc.constantFrom('rule_1', 'rule_2'),
  priority: fc.constantFrom(1, 2, 3),
  conditions: fc.array(condition, { maxLength: 2 }),
  variation,
  percentage_rollout: fc.option(
    fc.array(fc.record({ variation, percentage: fc.constantFrom(0, 30, 70) }), { maxLength: 2 }),
    { freq: 2, nil: null },
  ),
});
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const anyFlag: fc.Arbitrary<Flag> = fc
  .record({
    key,
    rules: fc.array(rule, { maxLength: 3 }),
    enabled: fc.constantFrom(true, true, true, false),
    prerequisites: fc.option(
      fc.array(fc.record({ flag_key: key, variation }), { minLength: 1, maxLength: 2 }),
      { freq: 2 },
    ),
  })
  .map(({ rules, prerequisites, ...rest }) => flag(rest.key, rules, { ...rest, prerequisites }));
const context: fc.Arbitrary<Context> = fc.record({
  user_key: fc.constantFrom('u0', 'u1', 'u2', ''),
  attributes: fc.record(
    {
      plan: fc.constantFrom('pro', 'team', 'free', ['pro', 'free']),
      age: fc.constantFrom(17, 18),
      role: fc.constantFrom('staff', 'guest'),
    },
    { requiredKeys: [] },
  ),
});

test('writes what the evaluator says, whatever the flags, where they lie, and how often it is asked', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyFlag, { selector: (one) => one.key, maxLength: 5 }),
      fc.nat(5),
      fc.array(context, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(1, 32),
      (flags, own, contexts, perPage) => {
        const evaluator = createEvaluator({ ...ruleset, flags });
        const [mine, others] = [flags.slice(0, own), flags.slice(own)];
        const { write } = writer(mine, perPage, others);
        for (const one of [...contexts, ...contexts, ...contexts]) {
          const expected = Object.fromEntries(mine.map(({ key }) => [key, evaluator.evaluate(key, one)]));
          expect(write(one)).toEqual(expected);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
