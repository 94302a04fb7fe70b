import { expect, test } from 'vitest';
import type { Flag } from '../../api/types.ts';
import { needStateOf } from './use-needed-flag.ts';

const flag = (change: Partial<Flag> = {}) =>
  ({
    status: 'active',
    enabled: true,
    default_variation: 'on',
    targeting_rules: [],
    prerequisites: [],
    ...change,
  }) as unknown as Flag;
const half = [
  { variation: 'on', percentage: 50 },
  { variation: 'off', percentage: 50 },
];

test('a need holds when the flag serves the variation to everyone', () => {
  expect(needStateOf(flag(), 'on')).toBe('holds');
  expect(needStateOf(flag({ enabled: false }), 'on')).toBe('holds');
  expect(needStateOf(flag(), 'off')).toBe('fails');
});

test('a need depends on the user where rules, a split or another need decide', () => {
  const targeting_rules = [{ id: '1', name: '', priority: 1, conditions: [], percentage_rollout: half }];
  expect(needStateOf(flag({ targeting_rules }), 'on')).toBe('some');
  expect(needStateOf(flag({ targeting_rules }), 'third')).toBe('fails');
  expect(needStateOf(flag({ prerequisites: [{ flag_key: 'a', variation: 'on' }] }), 'on')).toBe('some');
});

test('a need fails when the flag is archived or gone', () => {
  expect(needStateOf(flag({ status: 'archived' }), 'on')).toBe('archived');
  expect(needStateOf(null, 'on')).toBe('missing');
});
