import { expect, test } from 'vitest';
import { type Condition, type Context, createEvaluator, type TargetingRule } from '../src/index.ts';
import { createTestFlag, createTestRuleset } from '../src/testing.ts';

/** Explains a flag with one rule for the user `u`. */
const explain = (rule: Partial<TargetingRule>, attributes: Context['attributes'] = {}) => {
  const targeting_rules = [{ id: 'r', priority: 1, conditions: [], ...rule }];
  const ruleset = createTestRuleset([createTestFlag('f', false, { targeting_rules })]);
  return createEvaluator(ruleset).explain('f', { user_key: 'u', attributes: attributes! });
};

test('records what each condition compared, up to the first that does not match', () => {
  const plan: Condition = { attribute: 'plan', operator: 'is', value: 'pro' };
  const user: Condition = { attribute: 'user_key', operator: 'is', value: 'somebody' };
  const age: Condition = { attribute: 'age', operator: 'gt', value: 1 };
  const { result, rules } = explain({ conditions: [plan, user, age], variation: 'on' }, { plan: 'pro' });
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

test('records the bucket and the ranges of a rollout', () => {
  const { result, rules } = explain({
    percentage_rollout: [
      { variation: 'on', percentage: 30 },
      { variation: 'off', percentage: 70 },
    ],
  });
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

test('records no attribute for a segment, even if the context has an attribute named $segment', () => {
  const isNoTester: Condition = { attribute: '$segment', operator: 'is_not', value: 'testers' };
  const { rules } = explain({ conditions: [isNoTester], variation: 'on' }, { $segment: 'testers' });
  expect(rules[0]!.conditions).toEqual([{ condition: isNoTester, actual: undefined, matched: true }]);
});

test('records the unit, each gate, and the ranges of revision 3', () => {
  const part = { from: 0, to: 10_000 };
  const gates = [
    { salt: 'layer', ...part },
    { salt: 'holdout', from: 0, to: 0 },
  ];
  const { result, rules } = explain(
    {
      percentage_rollout: [],
      bucketing: { revision: 3, salt: 'exp', by: 'company', ranges: [{ variation: 'on', ...part }], gates },
    },
    { company: 42 },
  );
  expect(result.reason).toBe('DEFAULT');
  const bucket = expect.any(Number);
  expect(rules).toMatchObject([
    {
      matched: true,
      by: 'company',
      unit: '42',
      bucket,
      gates: [
        { salt: 'layer', bucket, passed: true },
        { salt: 'holdout', bucket, passed: false },
      ],
      ranges: [{ variation: 'on', ...part }],
    },
  ]);
});
