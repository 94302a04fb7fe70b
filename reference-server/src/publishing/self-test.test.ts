import { createEvaluator, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { createPages } from '../data-plane/fast-path/prepared-chunks.ts';
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

test('finds nothing wrong with a flag that answers by its variations', () => {
  expect(faultOf(flag)).toBeUndefined();
  expect(faultOf({ ...flag, enabled: false, targeting_rules: [] })).toBeUndefined();
});

test.each<[string, Partial<Flag>, string | null]>([
  ['whose default is no variation', { default_variation: 'z' }, null],
  ['without variations', { variations: [] }, 'rule_1'],
  ['with a rule that serves no variation', { targeting_rules: [{ ...first, variation: 'z' }] }, 'rule_1'],
  ['with a rule that serves nothing', { targeting_rules: [{ ...first, variation: null }] }, 'rule_1'],
  [
    'with a rollout to no variation',
    { targeting_rules: [{ ...second, percentage_rollout: [{ variation: 'z', percentage: 100 }] }] },
    'rule_2',
  ],
  ['that the evaluator takes for broken', { targeting_rules: [{ ...first, priority: Number.NaN }] }, null],
])('finds a flag %s', (_, change, ruleId) => {
  expect(faultOf({ ...flag, ...change })).toMatchObject({ flagKey: 'cta', ruleId });
});

test('asks as the rules would have it: each rule is reached, and none without a user key', () => {
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

test('tests what has changed, and holds nothing against others that was wrong before', async () => {
  const broken = { ...flag, default_variation: 'z' };
  const other = createTestFlag('dark-mode', true);
  const before = await createPages(rulesetOf(flag, other));
  const after = (...flags: Flag[]) => createPages(rulesetOf(...flags), { previous: before });
  expect(await testChanged(await after(flag, { ...other }), before)).toBeUndefined();
  expect(await testChanged(await after(broken, other), before)).toMatchObject({ flagKey: 'cta' });
  expect(await testChanged(await after(flag, { ...broken, key: 'new' }), before)).toMatchObject({
    flagKey: 'new',
  });
  const brokenBefore = await createPages(rulesetOf(broken, other));
  const next = await createPages(rulesetOf({ ...broken }, { ...other }), { previous: brokenBefore });
  expect(await testChanged(next, brokenBefore)).toBeUndefined();
});
