import { expect, test } from 'vitest';
import { createEvaluator } from './evaluator/evaluator.ts';
import type { UnitBucketing } from './protocol/protocol.ts';
import { unitShares } from './unit-shares.ts';

const units = (more: Partial<UnitBucketing>): UnitBucketing => ({
  revision: 3,
  salt: 'exp_1',
  by: 'user_key',
  ranges: [
    { variation: 'on', from: 0, to: 5_000 },
    { variation: 'off', from: 5_000, to: 8_000 },
    { variation: 'on', from: 9_000, to: 10_000 },
  ],
  ...more,
});

test.each<[string, Partial<UnitBucketing>, Record<string, number>]>([
  ['no gate', {}, { on: 60, off: 30 }],
  ['a gate', { gates: [{ salt: 'holdout', from: 9_500, to: 10_000 }] }, { on: 3, off: 1.5 }],
  [
    'two gates of one salt',
    {
      gates: [
        { salt: 'layer', from: 0, to: 5_000 },
        { salt: 'layer', from: 4_000, to: 9_000 },
      ],
    },
    { on: 6, off: 3 },
  ],
  [
    'gates that exclude each other',
    {
      gates: [
        { salt: 'layer', from: 0, to: 10 },
        { salt: 'layer', from: 20, to: 30 },
      ],
    },
    { on: 0, off: 0 },
  ],
  ['a gate of its own salt', { gates: [{ salt: 'exp_1', from: 4_000, to: 6_000 }] }, { on: 10, off: 10 }],
])('the shares behind %s are what the evaluator serves', (_, more, expected) => {
  const bucketing = units(more);
  expect(Object.fromEntries(unitShares(bucketing))).toEqual(expected);
  const evaluator = createEvaluator({
    version: 1,
    environment_id: 'env_1',
    fetched_at: '2026-11-20T10:00:00.000Z',
    segments: [],
    flags: [
      {
        key: 'a',
        flag_type: 'string',
        enabled: true,
        variations: ['on', 'off', 'none'].map((key) => ({ key, value: key })),
        default_variation: 'none',
        targeting_rules: [{ id: 'rule_1', priority: 1, conditions: [], percentage_rollout: [], bucketing }],
      },
    ],
  });
  const counts: Record<string, number> = { on: 0, off: 0 };
  for (let user = 0; user < 20_000; user++) {
    const { variation_key } = evaluator.evaluate('a', { user_key: `user-${user}` });
    if (variation_key !== 'none') counts[variation_key!]!++;
  }
  for (const [variation, share] of Object.entries(expected))
    expect(Math.abs(counts[variation]! / 200 - share)).toBeLessThan(1.5);
});
