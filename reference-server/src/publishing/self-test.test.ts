import { createEvaluator, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { testChanged, testFlag } from './self-test.ts';

const flag: Flag = {
  ...createTestFlag('cta', 'a'),
  enabled: true,
  variations: [
    { key: 'a', value: { color: 'red' } },
    { key: 'b', value: { color: 'blue' } },
  ],
  default_variation: 'a',
  targeting_rules: [
    {
      id: 'rule_1',
      priority: 1,
      conditions: [{ attribute: 'plan', operator: 'one_of', value: ['pro'] }],
      variation: 'b',
    },
    {
      id: 'rule_2',
      priority: 2,
      conditions: [],
      percentage_rollout: [
        { variation: 'a', percentage: 50 },
        { variation: 'b', percentage: 50 },
      ],
    },
  ],
};
const [first, second] = flag.targeting_rules as [
  Flag['targeting_rules'][number],
  Flag['targeting_rules'][number],
];
const rulesetOf = (...flags: Flag[]): Ruleset => ({ ...createTestRuleset({}, 1), flags });
const faultOf = (one: Flag) => testFlag(one, createEvaluator(rulesetOf(one)));

test('accepts flags that serve their variations', () => {
  expect(faultOf(flag)).toBeUndefined();
  expect(faultOf({ ...flag, enabled: false, targeting_rules: [] })).toBeUndefined();
});

test.each<[string, Partial<Flag>, string | null]>([
  ['whose default variation does not exist', { default_variation: 'z' }, null],
  ['without variations', { variations: [] }, 'rule_1'],
  [
    'with a rule that serves an unknown variation',
    { targeting_rules: [{ ...first, variation: 'z' }] },
    'rule_1',
  ],
  ['with a rule that names no variation', { targeting_rules: [{ ...first, variation: null }] }, 'rule_1'],
  [
    'with a rollout to an unknown variation',
    { targeting_rules: [{ ...second, percentage_rollout: [{ variation: 'z', percentage: 100 }] }] },
    'rule_2',
  ],
  ['that the evaluator rejects', { targeting_rules: [{ ...first, priority: Number.NaN }] }, null],
])('reports a flag %s', (_, change, ruleId) => {
  expect(faultOf({ ...flag, ...change })).toMatchObject({ flagKey: 'cta', ruleId });
});

test('evaluates contexts that reach each rule and the default', () => {
  const seen = new Set<string | null>();
  const evaluator = createEvaluator(rulesetOf(flag));
  testFlag(flag, {
    evaluate(key, context) {
      const result = evaluator.evaluate(key, context);
      seen.add(result.rule_id);
      return result;
    },
  });
  expect([...seen].sort()).toEqual([null, 'rule_1', 'rule_2']);
});

test('tests changed flags only, and lets through a flag that was broken before', async () => {
  const broken = { ...flag, default_variation: 'z' };
  const other = createTestFlag('dark-mode', true);
  const versionOf = (...flags: Flag[]) => ({ evaluator: createEvaluator(rulesetOf(...flags)) });
  const served = versionOf(flag, other);
  expect(await testChanged(versionOf(flag, { ...other }), served)).toBeUndefined();
  expect(await testChanged(versionOf(broken, other), served)).toMatchObject({ flagKey: 'cta' });
  const added = versionOf(flag, other, { ...broken, key: 'new' });
  expect(await testChanged(added, served)).toMatchObject({ flagKey: 'new' });
  const brokenBefore = versionOf(broken, other);
  expect(await testChanged(versionOf({ ...broken }, { ...other }), brokenBefore)).toBeUndefined();
  expect(await testChanged(versionOf(broken, { ...other }), brokenBefore)).toBeUndefined();
});
