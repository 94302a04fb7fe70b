import {
  type Condition,
  type Context,
  createEvaluator,
  OPERATORS,
  type TargetingRule,
} from '@flagsvc/sdk-core';
import { createSeededRandom } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { findUnreachable } from './unreachable-rules.ts';

const when = (attribute: string, operator: string, value: unknown) =>
  ({ attribute, operator, value }) as Condition;
const rules = (...all: readonly (readonly Condition[])[]) => all.map((conditions) => ({ conditions }));
const NO_SEGMENTS = new Map<string, readonly Condition[]>();
const find = (...all: readonly (readonly Condition[])[]) => findUnreachable(rules(...all), NO_SEGMENTS);

const isA = when('a', 'is', 'x');

test.each<[string, readonly Condition[], readonly Condition[]]>([
  ['the same conditions', [isA], [isA]],
  ['some of its conditions', [isA], [when('b', 'gt', 3), isA]],
  ['a longer list', [when('a', 'one_of', ['x', 'y'])], [isA]],
  ['a shorter negative list', [when('a', 'is_not', 'x')], [when('a', 'not_one_of', ['x', 'y'])]],
  ['a smaller lower bound', [when('a', 'gt', 3)], [when('a', 'gt', 3.5)]],
  ['the same upper bound', [when('a', 'lt', 3)], [when('a', 'lt', 3)]],
  ['the same value, as a number instead of a text', [when('a', 'is', 1)], [when('a', 'one_of', ['1'])]],
])('reports a rule behind one with %s', (_name, earlier, later) => {
  expect(find(earlier, later)).toEqual([
    { code: 'rule-unreachable', index: 1, shadowedBy: 0, byEveryone: false },
  ]);
});

test.each<[string, readonly Condition[], readonly Condition[]]>([
  ['another value', [isA], [when('a', 'is', 'y')]],
  ['more conditions', [isA, when('b', 'is', 1)], [isA]],
  ['a shorter list', [isA], [when('a', 'one_of', ['x', 'y'])]],
  ['another attribute', [isA], [when('b', 'is', 'x')]],
  ['a negated value, since a list can match both', [when('a', 'is_not', 'y')], [isA]],
])('does not report a rule behind one with %s', (_name, earlier, later) => {
  expect(find(earlier, later)).toEqual([]);
});

test.each<[string, readonly Condition[], readonly number[]]>([
  ['an empty list', [isA, when('b', 'one_of', [])], [1]],
  ['a value that is both required and excluded', [isA, when('a', 'is_not', 'x')], [0, 1]],
  ['a required value that is on a list of excluded ones', [when('a', 'not_one_of', ['x', 'y']), isA], [0, 1]],
  [
    'a part that is both required and excluded',
    [when('a', 'contains', 'x'), when('a', 'not_contains', 'x')],
    [0, 1],
  ],
  ['an unknown segment', [when('$segment', 'one_of', ['gone'])], [0]],
  ['an unknown operator', [when('a', 'sounds_like', 'x')], [0]],
])('reports a rule that cannot match because of %s', (_name, conditions, at) => {
  // A rule that never matches shadows no other.
  expect(find(conditions, [isA])).toEqual([{ code: 'rule-never-matches', index: 0, conditions: at }]);
});

test('does not report conditions that only a list of values can match together', () => {
  expect(find([isA, when('a', 'is', 'y')])).toEqual([]);
  expect(find([when('a', 'gt', 5), when('a', 'lt', 3)])).toEqual([]);
});

test('follows conditions into segments', () => {
  const segments = new Map<string, readonly Condition[]>([
    ['everyone', []],
    ['nobody', [isA, when('a', 'is_not', 'x')]],
    ['nested', [when('$segment', 'one_of', ['everyone'])]],
    ['some', [isA]],
  ]);
  const inSegments = (operator: string, ...keys: string[]) => [when('$segment', operator, keys)];
  const codes = (...all: readonly (readonly Condition[])[]) =>
    findUnreachable(rules(...all), segments).map(({ code, index }) => `${index} ${code}`);
  expect(codes(inSegments('one_of', 'some', 'everyone'), [isA])).toEqual(['1 rule-unreachable']);
  expect(codes(inSegments('not_one_of', 'nobody', 'gone'), [isA])).toEqual(['1 rule-unreachable']);
  expect(codes(inSegments('not_one_of', 'everyone'))).toEqual(['0 rule-never-matches']);
  expect(codes(inSegments('one_of', 'nobody', 'nested'))).toEqual(['0 rule-never-matches']);
  expect(codes(inSegments('one_of', 'some'), [isA])).toEqual([]);
});

test('gives up when comparing would take too long', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => `v${index}`);
  const many = Array.from({ length: 50 }, (_, rule) =>
    Array.from({ length: 20 }, (_, at) => when('a', 'one_of', [...values.slice(0, 999), `r${rule}-${at}`])),
  );
  const before = process.cpuUsage();
  expect(findUnreachable(rules(...many), NO_SEGMENTS)).toEqual([]);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

test('never reports a rule that decides for a random context, and reports many others', () => {
  const random = createSeededRandom(20_261_123);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const some = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, make);
  const scalar = (): string | number | boolean => pick(['x', 'y', 'xy', '1', 1, 2, 2.5, true, '1.2.3', '']);
  const condition = (): Condition => {
    if (random() < 0.25) {
      const operator = pick(['one_of', 'not_one_of', 'is', 'contains']);
      const keys = some(2, () => pick(['s0', 's1', 's2', 'gone']));
      return when('$segment', operator, operator.includes('one_of') ? keys : pick(['s0', 's1', 'gone']));
    }
    const operator = pick(OPERATORS);
    const value = operator.includes('one_of') ? some(3, scalar) : scalar();
    return when(pick(['a', 'b', 'user_key']), operator, value);
  };
  const value = (): unknown =>
    random() < 0.3 ? some(3, scalar) : random() < 0.1 ? null : random() < 0.1 ? { x: 1 } : scalar();
  const contexts = Array.from({ length: 300 }, (): Context => {
    const attributes = Object.fromEntries(
      ['a', 'b', 'user_key'].filter(() => random() < 0.7).map((name) => [name, value()]),
    );
    return { user_key: String(scalar()), attributes } as Context;
  });
  let reported = 0;
  for (let round = 0; round < 1_500; round++) {
    const segments = ['s0', 's1', 's2'].map((key) => ({ id: key, key, conditions: some(2, condition) }));
    const targeting_rules: TargetingRule[] = Array.from({ length: 5 }, (_, index) => ({
      id: String(index),
      priority: index,
      conditions: some(2, condition),
      ...(random() < 0.2
        ? { percentage_rollout: [{ variation: 'on', percentage: 0 }] }
        : { variation: 'on' }),
    }));
    const flag = {
      key: 'f',
      flag_type: 'boolean' as const,
      enabled: true,
      variations: [
        { key: 'on', value: true },
        { key: 'off', value: false },
      ],
      default_variation: 'off',
      targeting_rules,
    };
    const evaluator = createEvaluator({
      version: 1,
      environment_id: 'e',
      flags: [flag],
      segments,
      fetched_at: '',
    });
    const found = findUnreachable(targeting_rules, new Map(segments.map((one) => [one.key, one.conditions])));
    reported += found.length;
    const dead = new Set(found.map(({ index }) => String(index)));
    for (const context of contexts) {
      const decided = evaluator.explain('f', context).rules.find(({ matched }) => matched);
      if (decided !== undefined && dead.has(decided.rule_id)) {
        expect.unreachable(JSON.stringify({ decided, context, targeting_rules, segments }));
      }
    }
  }
  expect(reported).toBeGreaterThan(1_000);
});
