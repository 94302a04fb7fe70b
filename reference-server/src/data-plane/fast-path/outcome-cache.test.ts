import { type Context, createEvaluator, type Flag, type TargetingRule } from '@flagsvc/sdk-core';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type AddMembers, createAddMembers } from './flag-members.ts';
import { createOutcomeCache, createSharedCache, type SharedCache } from './outcome-cache.ts';
import { startPieces } from './pieces.ts';

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

/** Writes answers through a cache, which calls `addUncached` on a miss. */
function writer(flags: readonly Flag[], entriesPerChunk = 32, needed: readonly Flag[] = []) {
  const group = { ruleset, flags, needed };
  const addUncached = vi.fn<AddMembers>(createAddMembers(group));
  const add = createOutcomeCache(group, { ...createSharedCache(flags.length), entriesPerChunk }, addUncached);
  return {
    addUncached,
    write(context: Context, mayCache = true): Record<string, unknown> {
      const pieces = { ...startPieces(), mayCache };
      add(context, pieces);
      const bytes = Buffer.concat(pieces.list.slice(0, pieces.count));
      expect(bytes.length).toBe(pieces.bytes);
      return JSON.parse(`{${bytes.toString().slice(1)}}`);
    },
  };
}

const user = (value: string): Context => ({ user_key: 'u', attributes: { plan: value } });

test('evaluates no flag again while the same rules decide', () => {
  const { addUncached, write } = writer([flag('a', [plan('pro')]), flag('b', [plan('free')]), flag('c', [])]);
  const first = write(user('pro'));
  expect(addUncached).toHaveBeenCalledTimes(1);
  expect(write(user('pro'))).toEqual(first);
  expect(addUncached).toHaveBeenCalledTimes(1);
  expect(write(user('none'))).not.toEqual(first);
  expect(addUncached).toHaveBeenCalledTimes(2);
  // No condition distinguishes this plan from the previous one.
  write(user('neither'));
  expect(addUncached).toHaveBeenCalledTimes(2);
});

test('copies a cached combination of constant flags as one piece', () => {
  const group = { ruleset, flags: [flag('a', [plan('pro')]), flag('b', [plan('free')])], needed: [] };
  const add = createOutcomeCache(group, createSharedCache(2), createAddMembers(group));
  const counts = [1, 2].map(() => {
    const pieces = startPieces();
    add(user('pro'), pieces);
    return pieces.count;
  });
  expect(counts).toEqual([2, 1]);
});

test('adds at most one entry per answer', () => {
  const { addUncached, write } = writer([flag('a', [plan('pro')])]);
  for (let times = 0; times < 3; times++) write(user('pro'), false);
  expect(addUncached).toHaveBeenCalledTimes(3);
  const group = { ruleset, flags: [flag('a', [plan('pro')])], needed: [] };
  const pieces = startPieces();
  createOutcomeCache(group, createSharedCache(1), addUncached)(user('pro'), pieces);
  expect(pieces.mayCache).toBe(false);
  expect(startPieces(pieces).mayCache).toBe(true);
});

test('evaluates a shared matcher once per answer', () => {
  const shared = createSharedCache(2);
  const chunks = ['a', 'b'].map((key) => {
    const group = { ruleset, flags: [flag(key, [plan('pro')])], needed: [] };
    return createOutcomeCache(group, shared, createAddMembers(group));
  });
  const [matcher] = shared.matchers.values();
  const evaluate = vi.spyOn(matcher!.evaluator, 'evaluate');
  const pieces = startPieces();
  for (const add of chunks) add(user('pro'), pieces);
  expect(evaluate).toHaveBeenCalledTimes(1);
  for (const add of chunks) add(user('free'), startPieces(pieces));
  expect(evaluate).toHaveBeenCalledTimes(3);
});

test('keeps a bounded number of entries, and stops caching when most answers miss the cache', () => {
  const keys = Array.from({ length: 10 }, (_, index) => `plan-${index}`);
  const { addUncached, write } = writer(
    keys.map((key) => flag(key, [plan(key)])),
    2,
  );
  for (const key of keys) write(user(key));
  const calls = (key: string): number => {
    addUncached.mockClear();
    write(user(key));
    return addUncached.mock.calls.length;
  };
  expect(keys.map(calls)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  for (let times = 0; times < 1_100; times++) write(user('plan-9'));
  expect(calls('plan-0')).toBe(1);
});

test('caches nothing if no flag has conditions', () => {
  const flags = [flag('a', []), flag('b', [plan('pro')], { enabled: false })];
  const addUncached = vi.fn<AddMembers>();
  expect(createOutcomeCache({ ruleset, flags, needed: [] }, createSharedCache(2), addUncached)).toBe(
    addUncached,
  );
});

test('keeps fewer entries per chunk if there are many flags, and keeps matchers while most belong to current flags', () => {
  expect(createSharedCache(0).entriesPerChunk).toBe(32);
  expect(createSharedCache(1_000).entriesPerChunk).toBe(32);
  expect(createSharedCache(10_000).entriesPerChunk).toBe(6);
  const before = createSharedCache(1);
  for (let index = 0; index < 3; index++) addMatcher(before, `plan-${index}`);
  expect(before.matchers.size).toBe(3);
  expect(createSharedCache(2, before).matchers).toBe(before.matchers);
  expect(createSharedCache(1, before).matchers.size).toBe(0);
});

function addMatcher(shared: SharedCache, key: string): void {
  createOutcomeCache({ ruleset, flags: [flag(key, [plan(key)])], needed: [] }, shared, () => {});
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

test('writes the results of the evaluator for any flags, on the first answer and on later ones', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyFlag, { selector: (one) => one.key, maxLength: 5 }),
      fc.nat(5),
      fc.array(context, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(1, 32),
      (flags, own, contexts, entriesPerChunk) => {
        const evaluator = createEvaluator({ ...ruleset, flags });
        const [mine, others] = [flags.slice(0, own), flags.slice(own)];
        const { write } = writer(mine, entriesPerChunk, others);
        for (const one of [...contexts, ...contexts, ...contexts]) {
          const expected = Object.fromEntries(mine.map(({ key }) => [key, evaluator.evaluate(key, one)]));
          expect(write(one)).toEqual(expected);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
