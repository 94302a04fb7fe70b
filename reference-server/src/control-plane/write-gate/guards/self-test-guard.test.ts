import { expect, test } from 'vitest';
import type { Plan, Reach } from '../change.ts';
import type { GuardedChange } from '../guard.ts';
import { selfTestGuard } from './self-test-guard.ts';

const rule = { id: 'rule_1', priority: 1, name: 'r', conditions: [], variation: 'on' };
const flag = {
  key: 'cta',
  flag_type: 'boolean',
  status: 'active',
  enabled: true,
  variations: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  default_variation: 'off',
  targeting_rules: [rule],
  prerequisites: [],
};
const served = (...environmentIds: string[]): Reach => ({ served: { environmentIds, flagKeys: ['cta'] } });
const check = (after: object | null, more: Partial<Plan<unknown>> = {}) => {
  const plan = { resource: { type: 'flag', id: 'flg_1' }, after, reach: served('env_1'), ...more };
  return selfTestGuard.check(undefined as never, { plan } as GuardedChange);
};

test('a flag that evaluates to its own variations is accepted', async () => {
  await expect(check(flag)).resolves.toBeUndefined();
  await expect(check(null)).resolves.toBeUndefined();
});

test('other resources, and flags in no ruleset, are not checked', async () => {
  const broken = { ...flag, default_variation: 'z' };
  await expect(check(broken, { reach: served() })).resolves.toBeUndefined();
  await expect(check(broken, { resource: { type: 'segment', id: 'seg_1' } })).resolves.toBeUndefined();
});

test('a flag that evaluates to an unknown variation is refused', async () => {
  await expect(check({ ...flag, default_variation: 'z' })).rejects.toMatchObject({
    code: 'DEFAULT_VARIATION_UNKNOWN',
    details: { flag_key: 'cta', rule_id: null },
  });
  const targeting_rules = [{ ...rule, variation: 'z' }];
  const refusal = { code: 'RULE_VARIATION_UNKNOWN', details: { flag_key: 'cta', rule_id: 'rule_1' } };
  await expect(check({ ...flag, targeting_rules })).rejects.toMatchObject(refusal);
  const { enabled, default_variation, targeting_rules: _, prerequisites, ...shared } = flag;
  const environments = {
    dev: { enabled, default_variation, prerequisites, targeting_rules: [] },
    prod: { enabled, default_variation, prerequisites, targeting_rules },
  };
  await expect(check({ ...shared, environments })).rejects.toMatchObject(refusal);
});
