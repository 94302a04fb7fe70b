import { expect, test } from 'vitest';
import { servingOf } from './state-words.ts';

type Rules = Parameters<typeof servingOf>[0]['targeting_rules'];
const serving = (targeting_rules: Rules, enabled = true) =>
  servingOf({ enabled, targeting_rules, default_variation: 'off' });
const needs = [{ flag_key: 'b', variation: 'on' }];
const rule = (priority: number, change: Partial<Rules[number]>): Rules[number] => ({
  id: `rule_${priority}`,
  priority,
  name: '',
  conditions: [],
  ...change,
});
const nl = [{ attribute: 'country', operator: 'is' as const, value: 'NL' }];

test('a flag that is off serves the default, whatever its rules say', () => {
  expect(serving([rule(1, { variation: 'on' })], false)).toMatchObject({
    kind: 'off',
    served: [{ variation: 'off', share: 100 }],
  });
});

test('a rule without conditions serves everyone, and rules after it nobody', () => {
  const rules = [rule(2, { conditions: nl, variation: 'off' }), rule(1, { variation: 'on' })];
  expect(serving(rules)).toMatchObject({ kind: 'everyone', served: [{ variation: 'on', share: 100 }] });
});

test('a rollout below 100 leaves the rest to the default', () => {
  expect(serving([rule(1, { percentage_rollout: [{ variation: 'on', percentage: 40 }] })])).toMatchObject({
    kind: 'split',
    served: [
      { variation: 'on', share: 40 },
      { variation: 'off', share: 60 },
    ],
  });
});

test('rules with conditions are counted, with what everyone else gets', () => {
  expect(serving([rule(1, { conditions: nl, variation: 'on' })])).toEqual({
    kind: 'rules',
    count: 1,
    needs: 0,
    served: [{ variation: 'off', share: 100 }],
  });
});

test('a split that needs another flag first says so', () => {
  const share = rule(1, { percentage_rollout: [{ variation: 'on', percentage: 40 }] });
  const flag = { enabled: true, default_variation: 'off', prerequisites: needs };
  expect(servingOf({ ...flag, targeting_rules: [share] })).toMatchObject({
    kind: 'split',
    needs: 1,
    served: [
      { variation: 'on', share: 40 },
      { variation: 'off', share: 60 },
    ],
  });
  expect(servingOf({ ...flag, targeting_rules: [] })).toMatchObject({ kind: 'everyone', needs: 0 });
});

test.each([
  ['user_key', undefined, 'everyone', [['on', 100]]],
  ['company_id', undefined, 'split', [['on', 100]]],
  [
    'user_key',
    [{ salt: 'holdout', from: 0, to: 50 }],
    'split',
    [
      ['on', 0.5],
      ['off', 99.5],
    ],
  ],
])('a split of %s that says 100 %%, behind the gates %j, is %s', (by, gates, kind, served) => {
  const ranges = [{ variation: 'on', from: 0, to: 10_000 }];
  const units = rule(1, {
    percentage_rollout: [{ variation: 'on', percentage: 100 }],
    bucketing: { revision: 3, salt: 'exp', by, ranges, ...(gates && { gates }) },
  });
  expect(serving([units])).toMatchObject({
    kind,
    served: served.map(([variation, share]) => ({ variation, share })),
  });
});
