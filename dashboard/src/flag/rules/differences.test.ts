import { expect, test } from 'vitest';
import { addRule, type Config, configOf, editRule, moveRule, type Rule, removeRule } from './config.ts';
import { differencesOf, mergeConfigs, takePart } from './differences.ts';
import { instructionsOf, movedIds } from './instructions.ts';

const rule = (id: string, change: Partial<Rule> = {}): Rule => ({
  id,
  name: id,
  conditions: [{ attribute: 'country', operator: 'is', value: id }],
  variation: 'on',
  shares: undefined,
  ...change,
});
const saved: Config = { rules: ['a', 'b', 'c', 'd'].map((id) => rule(id)), fallback: 'off', needs: [] };
const ids = (config: Config) => config.rules.map(({ id }) => id).join('');

/** What the server makes of the instructions: rules without an id get one. */
function follow(config: Config): string {
  let order = saved.rules.map(({ id }) => id);
  for (const step of instructionsOf(saved, config)) {
    if (step.op === 'remove_rule') order = order.filter((id) => id !== step.rule_id);
    if (step.op === 'move_rule' || step.op === 'add_rule') {
      const id = step.rule_id ?? step.rule!.name!;
      const others = order.filter((one) => one !== id);
      const at = step.before_rule_id === null ? others.length : others.indexOf(step.before_rule_id!);
      expect(at).toBeGreaterThanOrEqual(0);
      order = [...others.slice(0, at), id, ...others.slice(at)];
    }
  }
  return order.join('');
}

test('the instructions lead to every order of the rules', () => {
  const permute = (left: string[]): string[][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((id) => permute(left.filter((one) => one !== id)).map((rest) => [id, ...rest]));
  for (const order of permute(['a', 'b', 'c', 'd'])) {
    const config = { ...saved, rules: order.map((id) => rule(id)) };
    expect(follow(config)).toBe(order.join(''));
  }
});

test('new rules come where they stand, also several beside each other, beside moves and removals', () => {
  const added = ['new-1', 'new-2'].reduce((config, id) => addRule(config, rule(id), 1), saved);
  const config = moveRule(removeRule(added, 'c'), 'd', 0);
  expect(follow(config)).toBe(ids(config));
});

test('one move is one instruction and one difference', () => {
  const config = moveRule(saved, 'd', 0);
  expect(instructionsOf(saved, config)).toEqual([{ op: 'move_rule', rule_id: 'd', before_rule_id: 'a' }]);
  expect(differencesOf(saved, config)).toMatchObject([{ kind: 'moved', from: 3, to: 0 }]);
});

test('of two neighbours that changed places, the one that is now first has moved', () => {
  expect(movedIds(['a', 'b', 'c'], ['a', 'c', 'b'])).toEqual(['c']);
});

test('nothing edited is no instruction', () => {
  expect(instructionsOf(saved, structuredClone(saved))).toEqual([]);
  expect(differencesOf(saved, structuredClone(saved))).toEqual([]);
});

test('an edit is one instruction with the changed fields only', () => {
  const shares = [
    { variation: 'on', percentage: 100 },
    { variation: 'off', percentage: 0 },
  ];
  const config = editRule(saved, 'b', { name: 'Benelux', variation: undefined, shares });
  expect(instructionsOf(saved, config)).toEqual([
    {
      op: 'update_rule',
      rule_id: 'b',
      name: 'Benelux',
      percentage_rollout: [{ variation: 'on', percentage: 100 }],
    },
  ]);
});

test('each difference can be undone on its own, in any order', () => {
  const edited = [
    (config: Config) => editRule(config, 'a', { name: 'A', variation: 'off' }),
    (config: Config) => removeRule(config, 'b'),
    (config: Config) => moveRule(config, 'd', 0),
    (config: Config) => addRule(config, rule('new-1'), 2),
    (config: Config) => ({ ...config, fallback: 'on' }),
  ].reduce((config, change) => change(config), saved);
  const differences = differencesOf(saved, edited).map(({ id }) => id);
  expect(differences.length).toBe(6);
  for (const order of [differences, differences.toReversed()]) {
    const restored = order.reduce((config, id) => takePart(saved, config, id), edited);
    expect(differencesOf(saved, restored)).toEqual([]);
  }
});

test('a merge keeps what only one side changed, and the chosen side where both did', () => {
  const theirs = editRule(editRule(saved, 'a', { name: 'theirs' }), 'b', { variation: 'off' });
  const mine = moveRule(editRule(saved, 'a', { name: 'mine' }), 'd', 0);
  const versions = { base: saved, saved: theirs, mine };
  const merged = mergeConfigs(versions, new Set());
  expect(ids(merged)).toBe('dabc');
  expect(merged.rules.find(({ id }) => id === 'a')!.name).toBe('mine');
  expect(merged.rules.find(({ id }) => id === 'b')!.variation).toBe('off');
  const chosen = mergeConfigs(versions, new Set(['a name']));
  expect(chosen.rules.find(({ id }) => id === 'a')!.name).toBe('theirs');
});

test('a rule that somebody else removed goes, unless it is edited here', () => {
  const theirs = removeRule(removeRule(saved, 'a'), 'b');
  const mine = editRule(saved, 'b', { name: 'mine' });
  const merged = mergeConfigs({ base: saved, saved: theirs, mine }, new Set());
  expect(ids(merged)).toBe('cd');
});

test('a new default leaves the rest of a split as it was shown', () => {
  const flag = {
    default_variation: 'off',
    targeting_rules: [
      {
        id: 'a',
        priority: 1,
        name: '',
        conditions: [],
        percentage_rollout: [{ variation: 'on', percentage: 25 }],
      },
    ],
  };
  const config = configOf(flag);
  expect(config.rules[0]!.shares).toEqual([
    { variation: 'on', percentage: 25 },
    { variation: 'off', percentage: 75 },
  ]);
  expect(instructionsOf(config, { ...config, fallback: 'on' })).toEqual([
    { op: 'set_default', variation: 'on' },
    { op: 'update_rule', rule_id: 'a', percentage_rollout: config.rules[0]!.shares },
  ]);
});
