import { expect, test } from 'vitest';
import type { GuardedChange } from '../gate.ts';
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
const ask = (after: object | null, more: object = {}) =>
  selfTestGuard(
    undefined as never,
    {
      plan: { resource: { type: 'flag', id: 'flg_1' }, after, environmentIds: ['env_1'], ...more },
    } as unknown as GuardedChange,
  );

test('lets a flag pass that answers by its variations, and what is no flag or in no ruleset', async () => {
  await expect(ask(flag)).resolves.toBeUndefined();
  await expect(ask(null)).resolves.toBeUndefined();
  const broken = { ...flag, default_variation: 'z' };
  await expect(ask(broken, { environmentIds: [] })).resolves.toBeUndefined();
  await expect(ask(broken, { resource: { type: 'segment', id: 'seg_1' } })).resolves.toBeUndefined();
});

test('refuses a flag that does not', async () => {
  await expect(ask({ ...flag, default_variation: 'z' })).rejects.toMatchObject({
    code: 'DEFAULT_VARIATION_UNKNOWN',
    details: { flag_key: 'cta', rule_id: null },
  });
  const targeting_rules = [{ ...rule, variation: 'z' }];
  const refusal = { code: 'RULE_VARIATION_UNKNOWN', details: { flag_key: 'cta', rule_id: 'rule_1' } };
  await expect(ask({ ...flag, targeting_rules })).rejects.toMatchObject(refusal);
  const { enabled, default_variation, targeting_rules: _, prerequisites, ...shared } = flag;
  const environments = {
    dev: { enabled, default_variation, prerequisites, targeting_rules: [] },
    prod: { enabled, default_variation, prerequisites, targeting_rules },
  };
  await expect(ask({ ...shared, environments })).rejects.toMatchObject(refusal);
});
