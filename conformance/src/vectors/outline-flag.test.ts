import { expect, test } from 'vitest';
import { loadSuite } from '../suite/suite.ts';
import { outlineFlag } from './outline-flag.ts';

const flag = {
  key: 'f',
  enabled: true,
  default_variation: 'off',
  prerequisites: [{ flag_key: 'g', variation: 'on' }],
  targeting_rules: [
    {
      id: 'rule_1',
      priority: 1,
      conditions: [
        { attribute: 'plan', operator: 'one_of', value: ['pro', 'team'] },
        { attribute: 'age', operator: 'gt', value: 17 },
      ],
      variation: 'on',
    },
    {
      id: 'rule_2',
      priority: 2,
      conditions: [],
      percentage_rollout: [{ variation: 'on', percentage: 30 }],
      bucketing: 2,
    },
    'broken',
  ],
};

test('summarizes a flag in a few lines', () => {
  expect(outlineFlag({ flags: [{ key: 'g' }, flag] }, 'f').split('\n')).toEqual([
    'enabled, default off, needs g = on',
    '1 rule_1: plan one_of ["pro","team"] and age gt 17 → on',
    '2 rule_2: everybody → 30 % on, bucketing 2',
    '"broken"',
  ]);
  expect(outlineFlag({ flags: [flag] }, 'h')).toBe('not in the ruleset');
});

test('summarizes the flags of all vectors, even broken ones, briefly', () => {
  for (const { ruleset, calls } of loadSuite().vectors) {
    for (const call of calls) expect(outlineFlag(ruleset, call.flag).length).toBeLessThan(6_000);
  }
});
