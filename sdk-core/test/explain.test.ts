import { expect, test } from 'vitest';
import { type Condition, createEvaluator, type Flag, type Ruleset } from '../src/index.ts';

const flag = (conditions: readonly Condition[], more?: Partial<Flag>): Flag => ({
  key: 'f',
  flag_type: 'boolean',
  enabled: true,
  variations: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  default_variation: 'off',
  targeting_rules: [{ id: 'r', priority: 1, conditions, variation: 'on' }],
  ...more,
});

const explain = (flags: readonly Flag[], attributes: object, segments: Ruleset['segments'] = []) =>
  createEvaluator({ version: 1, environment_id: 'e', flags, segments } as Ruleset).explain('f', {
    user_key: 'u',
    attributes: attributes as Record<string, never>,
  });

test('tells what each condition compared, up to the first that does not match', () => {
  const plan: Condition = { attribute: 'plan', operator: 'is', value: 'pro' };
  const user: Condition = { attribute: 'user_key', operator: 'is', value: 'somebody' };
  const age: Condition = { attribute: 'age', operator: 'gt', value: 1 };
  const { result, rules } = explain([flag([plan, user, age])], { plan: 'pro', age: 2 });
  expect(result.reason).toBe('DEFAULT');
  expect(rules).toEqual([
    {
      rule_id: 'r',
      matched: false,
      conditions: [
        { condition: plan, actual: 'pro', matched: true },
        { condition: user, actual: 'u', matched: false },
      ],
    },
  ]);
});

test('tells the bucket and the ranges of a rollout', () => {
  const rollout = [
    { variation: 'on', percentage: 30 },
    { variation: 'off', percentage: 70 },
  ];
  const rule = { id: 'r', priority: 1, conditions: [], percentage_rollout: rollout };
  const { result, rules } = explain([flag([], { targeting_rules: [rule] })], {});
  expect(result.reason).toBe('PERCENTAGE_ROLLOUT');
  expect(rules).toMatchObject([
    {
      matched: true,
      // hash("f:u") is 193,490,106.
      bucket: 6,
      ranges: [
        { variation: 'on', from: 0, to: 30 },
        { variation: 'off', from: 30, to: 100 },
      ],
    },
  ]);
});

test('shows no attribute for a segment, even if the context has one of the reserved name', () => {
  const isNoTester: Condition = { attribute: '$segment', operator: 'is_not', value: 'testers' };
  const { rules } = explain([flag([isNoTester])], { $segment: 'testers' });
  expect(rules[0]!.conditions).toEqual([{ condition: isNoTester, actual: undefined, matched: true }]);
});
