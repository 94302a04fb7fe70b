import { expect, test } from 'vitest';
import { configOf } from '../rules/config.ts';
import { differencesOf } from '../rules/differences.ts';
import { differingParts, hasOwnRules, PARTS, promotedConfig } from './promotion.ts';

type Flag = Parameters<typeof differingParts>[0];
type Rule = Flag['targeting_rules'][number];

const rule = (id: string, priority: number, change: Partial<Rule> = {}): Rule => ({
  id,
  priority,
  name: '',
  conditions: [{ attribute: 'country', operator: 'is', value: 'NL' }],
  variation: 'on',
  ...change,
});
const flag = (targeting_rules: Rule[], change: Partial<Flag> = {}): Flag => ({
  enabled: true,
  targeting_rules,
  default_variation: 'off',
  prerequisites: [],
  ...change,
});
const all = { include: PARTS, keepsRules: false };
const differences = (source: Flag, target: Flag, promotion = all) =>
  differencesOf(configOf(target), promotedConfig(source, target, promotion)).map(({ kind }) => kind);

test('rules with other ids and the same meaning are no difference', () => {
  const [source, target] = [flag([rule('a', 1)]), flag([rule('b', 7)])];
  expect(differingParts(source, target)).toEqual([]);
  expect(differences(source, target)).toEqual([]);
});

test('a rule of the same name is changed, not replaced', () => {
  const conditions = [{ attribute: 'plan', operator: 'is' as const, value: 'pro' }];
  const source = flag([rule('a', 1, { name: 'Staff', conditions })]);
  const target = flag([rule('b', 1, { name: 'Staff' })]);
  expect(differingParts(source, target)).toEqual(['targeting_rules']);
  expect(differences(source, target)).toEqual(['conditions']);
});

test('each part differs on its own', () => {
  const source = flag([], {
    enabled: false,
    default_variation: 'on',
    prerequisites: [{ flag_key: 'cart', variation: 'on' }],
  });
  expect(differingParts(source, flag([]))).toEqual(['enabled', 'default_variation', 'prerequisites']);
  expect(differences(source, flag([]), { include: ['enabled'], keepsRules: false })).toEqual([]);
  expect(differences(source, flag([]))).toEqual(['default', 'need']);
});

test('rules that only the target has go, or come after the others', () => {
  const source = flag([rule('a', 1)]);
  const target = flag([rule('x', 1, { name: 'Own', conditions: [] }), rule('a', 2)]);
  expect(hasOwnRules(source, target)).toBe(true);
  expect(differences(source, target)).toEqual(['removed']);
  const kept = promotedConfig(source, target, { ...all, keepsRules: true });
  expect(kept.rules.map(({ id }) => id)).toEqual(['a', 'x']);
});

test('two rules alike are paired one to one', () => {
  const source = flag([rule('a', 1), rule('b', 2)]);
  expect(differences(source, flag([rule('x', 1)]))).toEqual(['added']);
});
