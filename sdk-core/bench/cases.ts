/** Flags, rulesets and contexts for the evaluator's benchmark. */
import type { Condition, Context, Flag, Ruleset } from '../src/index.ts';

const VARIATIONS = [
  { key: 'on', value: true },
  { key: 'off', value: false },
] as const;

/** A boolean flag with one rule per list of conditions. Each rule serves `on`. */
export function flagWith(
  key: string,
  rules: readonly (readonly Condition[])[],
  extra: Partial<Flag> = {},
): Flag {
  return {
    key,
    flag_type: 'boolean',
    enabled: true,
    variations: VARIATIONS,
    default_variation: 'off',
    targeting_rules: rules.map((conditions, i) => ({
      id: `rule_${i}`,
      priority: i,
      conditions,
      variation: 'on',
    })),
    ...extra,
  };
}

export function rulesetOf(flags: readonly Flag[]): Ruleset {
  return {
    version: 1,
    environment_id: 'env_bench',
    flags,
    segments: [],
    fetched_at: '2026-01-01T00:00:00.000Z',
  };
}

/** Returns `count` rules of three conditions each. Only the last rule matches the context of `manyRulesContext`. */
export function manyRules(count: number): Condition[][] {
  return Array.from({ length: count }, (_, i) => [
    { attribute: 'country', operator: 'is', value: i % 2 ? 'DE' : 'NL' },
    { attribute: 'plan', operator: 'one_of', value: ['pro', `plan-${i}`] },
    { attribute: 'tenant', operator: 'is', value: `tenant-${i}` },
  ]);
}

export function manyRulesContext(count: number): Context {
  const last = count - 1;
  return {
    user_key: 'user-1',
    attributes: { country: last % 2 ? 'DE' : 'NL', plan: 'pro', tenant: `tenant-${last}` },
  };
}
