/** Inputs that JSON cannot contain or nobody would write: getters that evaluate flags, and deeply nested patterns. */
import { expect, test } from 'vitest';
import {
  type Context,
  createEvaluator,
  type Flag,
  isPatternValid,
  parseRuleset,
  type TargetingRule,
} from '../src/index.ts';
import { createRuleIndex } from '../src/rule-index.ts';

const rule = (priority: number, attribute: string, value: string): TargetingRule => ({
  id: `r${priority}`,
  priority,
  conditions: [{ attribute, operator: 'is', value }],
  variation: 'on',
});
const flag = (key: string, rules: readonly TargetingRule[], needs?: string): Flag => ({
  key,
  flag_type: 'boolean',
  enabled: true,
  variations: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  default_variation: 'off',
  targeting_rules: rules,
  ...(needs && { prerequisites: [{ flag_key: needs, variation: 'on' }] }),
});
const evaluatorOf = (flags: readonly Flag[], options = {}) =>
  createEvaluator({ version: 1, environment_id: 'env_1', flags, segments: [], fetched_at: '' }, options);

test('returns the right results when a getter evaluates another flag with the same prerequisite', () => {
  const always = { ...rule(1, 'plan', 'x'), conditions: [] };
  const evaluator = evaluatorOf([
    flag('base', [rule(1, 'beta', 'yes')]),
    flag('a', [always], 'base'),
    flag('c', [always], 'base'),
  ]);
  let reads = 0;
  const context: Context = {
    user_key: 'u',
    attributes: {
      get beta() {
        reads++;
        expect(evaluator.evaluate('c', { user_key: 'v', attributes: { beta: 'no' } }).reason).toBe(
          'PREREQUISITE',
        );
        return 'yes';
      },
    },
  };
  expect(evaluator.evaluate('a', context).reason).toBe('TARGETING_RULE');
  expect(reads).toBeGreaterThan(0);
  expect(evaluator.evaluateAll(context)).toMatchObject({ a: { value: true }, c: { value: true } });
});

test('skips no rule when a getter evaluates the same flag for another user through the index', () => {
  const rules = Array.from({ length: 40 }, (_, i) => rule(i, 'plan', `p${i}`));
  const last = {
    ...rule(40, 'plan', 'p40'),
    conditions: [{ attribute: 'region', operator: 'contains', value: 'eu' }],
  };
  const allRules = [...rules, last as TargetingRule, rule(41, 'plan', 'mine')];
  const evaluator = evaluatorOf([flag('f', allRules)], { createRuleIndex });
  const context: Context = {
    user_key: 'u',
    attributes: {
      plan: 'mine',
      get region() {
        return evaluator.evaluate('f', { user_key: 'v', attributes: { plan: 'p3', region: 'us' } }).rule_id;
      },
    },
  };
  expect(evaluator.evaluate('f', context).rule_id).toBe('r41');
});

test('an attribute whose getter throws is read only for rules that use it', () => {
  const rules = Array.from({ length: 40 }, (_, i) => rule(i, i % 2 ? 'plan' : 'country', `v${i}`));
  const context = (country: string): Context => ({
    user_key: 'u',
    attributes: {
      country,
      get plan(): string {
        throw new Error('unreadable');
      },
    },
  });
  for (const options of [{}, { createRuleIndex }]) {
    const evaluator = evaluatorOf([flag('f', rules)], options);
    expect(evaluator.evaluate('f', context('v0')).rule_id).toBe('r0');
    expect(evaluator.evaluate('f', context('v2')).reason).toBe('DEFAULT');
  }
});

test('evaluateAll agrees with evaluate when a getter throws', () => {
  const always = { ...rule(1, 'plan', 'x'), conditions: [] };
  const evaluator = evaluatorOf([
    flag('a', [always], 'base'),
    flag('base', [rule(1, 'beta', 'yes')]),
    flag('c', [always], 'a'),
    flag('d', [always]),
  ]);
  const context: Context = {
    user_key: 'u',
    attributes: {
      get beta(): string {
        throw new Error('unreadable');
      },
    },
  };
  const all = evaluator.evaluateAll(context);
  for (const key of ['a', 'base', 'c', 'd']) expect(all[key]).toBe(evaluator.evaluate(key, context));
});

test('calls no getter that the attributes inherit', () => {
  class Account {
    get plan(): string {
      throw new Error('read');
    }
  }
  const rules = [rule(1, 'plan', 'x'), { ...rule(2, 'plan', 'x'), conditions: [] }];
  const attributes = new Account() as unknown as NonNullable<Context['attributes']>;
  expect(evaluatorOf([flag('f', rules)]).evaluate('f', { user_key: 'u', attributes }).rule_id).toBe('r2');
});

const nested = (depth: number, open: string, close: string) =>
  `((${open.repeat(depth)}a${close.repeat(depth)}){90}){100}z`;
test.each([
  ['empty branches', `((a${'|'.repeat(470)}){90}){100}z`],
  ['options of options', nested(150, '(', ')?')],
  ['loops of options', nested(60, '((', ')*)?')],
  ['loops of loops', nested(60, '((', ')+)+')],
  ['empty branches in empty branches', nested(60, '((', '|)|)')],
  ['loops of a part and an empty group', nested(40, '((', '(?:))*)*')],
])('builds an automaton whose size is proportional to the counted states: %s', (_, pattern) => {
  expect(isPatternValid(pattern)).toBe(true);
  const matches = {
    ...rule(1, 'x', ''),
    conditions: [{ attribute: 'x', operator: 'matches_regex', value: pattern }],
  };
  const evaluator = evaluatorOf([flag('f', [matches as TargetingRule])]);
  const before = process.cpuUsage();
  for (const x of ['a', 'aaaaaab']) expect(evaluator.evaluate('f', { attributes: { x } }).value).toBe(false);
  // Takes about 20 ms. A node for each character of the pattern would take seconds and a gigabyte.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});

test('simplifies nested quantifiers only if the meaning stays the same', () => {
  const atoms = ['a', 'a?', 'a*', 'a+', 'a{2,}', 'a?b', 'a?b?', 'a|', '|', 'a|b', '^', '(?:)'];
  const marks = ['', '?', '*', '+', '{0,1}', '{1,1}', '{0,2}', '{2,}'];
  const texts = ['', 'c', 'ac', 'aac', 'aaac', 'bc', 'abc', 'aabc', 'ababc', 'bac', 'aaaac'];
  for (const atom of atoms)
    for (const inner of marks)
      for (const outer of marks) {
        const pattern = `^((${atom})${inner})${outer}c$`;
        const matches = {
          ...rule(1, 'x', ''),
          conditions: [{ attribute: 'x', operator: 'matches_regex', value: pattern }],
        };
        const evaluator = evaluatorOf([flag('f', [matches as TargetingRule])]);
        for (const x of texts)
          expect([pattern, x, evaluator.evaluate('f', { attributes: { x } }).value]).toEqual([
            pattern,
            x,
            new RegExp(pattern).test(x),
          ]);
      }
});

test.each(['evaluate', 'explain', 'evaluateAll'] as const)(
  'recovers from a first %s that ran out of stack',
  (how) => {
    const value = `${'('.repeat(200)}a${')'.repeat(200)}`;
    const matches = {
      ...rule(1, 'plan', ''),
      conditions: [{ attribute: 'plan', operator: 'matches_regex', value }],
    } as TargetingRule;
    const context = { user_key: 'u', attributes: { plan: 'a' } };
    const evaluators = Array.from({ length: 2_000 }, () => evaluatorOf([flag('f', [matches])]));
    let tried = 0;
    let failed = 0;
    // While the full stack unwinds, each level has a little more stack left and tries a new evaluator.
    const descend = (): void => {
      try {
        descend();
      } catch {}
      const evaluator = evaluators[tried];
      if (!evaluator) return;
      tried++;
      try {
        if (how === 'evaluateAll') evaluator.evaluateAll(context);
        else evaluator[how]('f', context);
      } catch {
        failed++;
      }
    };
    descend();
    expect([tried, failed > 0]).toEqual([evaluators.length, true]);
    for (const evaluator of evaluators) {
      expect(evaluator.evaluate('f', context).reason).toBe('TARGETING_RULE');
      expect(evaluator.evaluateAll(context)['f']!.reason).toBe('TARGETING_RULE');
    }
  },
);

test('reports and leaves out a flag that throws on the second read', () => {
  let reads = 0;
  const flag = {
    key: 'f',
    enabled: true,
    default_variation: 'on',
    targeting_rules: [],
    get variations() {
      reads += 1;
      if (reads > 1) throw new Error('second read');
      return [{ key: 'on', value: true }];
    },
  };
  const { ruleset, faults } = parseRuleset({ version: 1, environment_id: 'env_1', flags: [flag] });
  expect(ruleset?.flags).toEqual([]);
  expect(faults).toEqual([{ path: 'flags[0]', code: 'unreadable' }]);
});
