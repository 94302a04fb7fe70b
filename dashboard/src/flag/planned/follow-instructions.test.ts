import { expect, test } from 'vitest';
import type { Config, Rule } from '../rules/config.ts';
import { editRule, moveRule, removeRule } from '../rules/config.ts';
import { differencesOf } from '../rules/differences.ts';
import { instructionsOf } from '../rules/instructions.ts';
import { followInstructions } from './follow-instructions.ts';

const rule = (id: string, change: Partial<Rule> = {}): Rule => ({
  id,
  name: id,
  conditions: [{ attribute: 'country', operator: 'is', value: id }],
  variation: 'on',
  shares: undefined,
  ...change,
});
const saved: Config = { rules: ['a', 'b', 'c', 'd'].map((id) => rule(id)), fallback: 'off', needs: [] };
const start = { config: saved, enabled: true };

test('the instructions of an edit lead back to the edit', () => {
  const shares = [
    { variation: 'on', percentage: 25 },
    { variation: 'off', percentage: 75 },
  ];
  const edited = [
    (config: Config) => editRule(config, 'a', { name: 'A', variation: 'off' }),
    (config: Config) => editRule(config, 'c', { variation: undefined, shares }),
    (config: Config) => removeRule(config, 'b'),
    (config: Config) => moveRule(config, 'd', 0),
    (config: Config) => ({ ...config, fallback: 'on' }),
  ].reduce((config, change) => change(config), saved);
  const { config, enabled, others } = followInstructions(start, instructionsOf(saved, edited));
  expect(differencesOf(edited, config)).toEqual([]);
  expect(enabled).toBe(true);
  expect(others).toEqual([]);
});

test('a new rule comes before the rule that it names, or before the one for everyone', () => {
  const everyone = { ...saved, rules: [...saved.rules, rule('all', { conditions: [] })] };
  const added = { conditions: [...rule('x').conditions], variation: 'on' };
  const places = [{ before_rule_id: 'b' }, {}, { before_rule_id: null }].map((where) => {
    const step = { op: 'add_rule' as const, rule: added, ...where };
    const { config } = followInstructions({ ...start, config: everyone }, [step]);
    return config.rules.findIndex(({ id }) => id.startsWith('new-'));
  });
  expect(places).toEqual([1, 4, 5]);
});

test('a rollout below 100 leaves the rest to the default, and the switch is followed', () => {
  const { config, enabled } = followInstructions(start, [
    { op: 'set_rollout', rule_id: 'a', percentage_rollout: [{ variation: 'on', percentage: 10 }] },
    { op: 'set_enabled', enabled: false },
  ]);
  expect(config.rules[0]!.shares).toEqual([
    { variation: 'on', percentage: 10 },
    { variation: 'off', percentage: 90 },
  ]);
  expect(enabled).toBe(false);
});

test('an instruction that no longer fits changes nothing, and one for a tag is kept', () => {
  const { config, others } = followInstructions(start, [
    { op: 'update_rule', rule_id: 'gone', name: 'x' },
    { op: 'add_tag', tag: 'late' },
  ]);
  expect(config).toEqual(saved);
  expect(others).toEqual([{ op: 'add_tag', tag: 'late' }]);
});
