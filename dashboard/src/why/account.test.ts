import { createEvaluator, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import { assert, expect, test } from 'vitest';
import { accountOf } from './account.ts';
import { hasWords, summaryOf } from './answer-words.ts';
import { withEdit } from './edited-ruleset.ts';
import { flagRows } from './flag-rows.ts';
import { createNames } from './names.ts';
import { createSegmentReader } from './segment-tests.ts';

const variations = [
  { key: 'on', value: true },
  { key: 'off', value: false },
];
const flag = (key: string, more: Partial<Flag> = {}): Flag => ({
  key,
  flag_type: 'boolean',
  enabled: true,
  variations,
  default_variation: 'off',
  targeting_rules: [],
  ...more,
});
const proRule = {
  id: 'rule_pro',
  priority: 10,
  conditions: [
    { attribute: 'plan', operator: 'is' as const, value: 'pro' },
    { attribute: 'country', operator: 'one_of' as const, value: ['NL', 'BE'] },
  ],
  variation: 'on',
};
const splitRule = {
  id: 'rule_split',
  priority: 20,
  conditions: [],
  percentage_rollout: [
    { variation: 'on', percentage: 40 },
    { variation: 'off', percentage: 40 },
  ],
};
const staffRule = {
  id: 'rule_staff',
  priority: 5,
  conditions: [{ attribute: '$segment', operator: 'one_of' as const, value: ['staff', 'staff/included'] }],
  variation: 'on',
};
const rulesetOf = (...flags: Flag[]): Ruleset => ({
  version: 1,
  environment_id: 'env_1',
  flags,
  segments: [
    {
      id: 'seg_1',
      key: 'staff',
      conditions: [{ attribute: 'email', operator: 'contains', value: '@northwind' }],
    },
    {
      id: 'seg_2',
      key: 'staff/included',
      conditions: [{ attribute: 'user_key', operator: 'one_of', value: ['ada', 'eve'] }],
    },
  ],
  fetched_at: '2026-11-20T10:00:00.000Z',
});
const names = createNames({
  flag: { variations: [] } as never,
  rules: [{ id: 'rule_pro', name: 'Pro customers', conditions: [] }],
  segments: [{ key: 'staff', name: 'Staff' }],
  nameOf: (key) => key,
});
const explain = (ruleset: Ruleset, key: string, context: object) =>
  accountOf(createEvaluator(ruleset), key, { context, segments: createSegmentReader(ruleset) })!;
const statesOf = (account: ReturnType<typeof explain>) => account.steps.map(({ state }) => state);
const sentence = (account: ReturnType<typeof explain>) => summaryOf(account, names, 'Staging');

test('the first rule that matches decides, and later ones are not reached', () => {
  const ruleset = rulesetOf(flag('a', { targeting_rules: [proRule, splitRule] }));
  const account = explain(ruleset, 'a', { user_key: 'ada', attributes: { plan: 'pro', country: 'BE' } });
  expect(statesOf(account)).toEqual(['passed', 'here', 'skipped', 'skipped']);
  expect(sentence(account)).toBe('Rule 1, Pro customers matches.');
});

test('a rule that does not match shows what is missing, and what was not tested', () => {
  const ruleset = rulesetOf(flag('a', { targeting_rules: [proRule] }));
  const account = explain(ruleset, 'a', { user_key: 'ada' });
  const [, rule] = account.steps;
  const tests = rule!.kind === 'rule' ? rule!.tests : [];
  expect(tests.map((one) => [one.state, hasWords(one, names)])).toEqual([
    ['unmet', 'is missing'],
    ['skipped', 'not tested'],
  ]);
  expect(statesOf(account)).toEqual(['passed', 'failed', 'here']);
  expect(sentence(account)).toBe('No rule matches, so the default decides.');
});

test.each([
  [null, 'is null, which never matches'],
  [{}, 'is an object, which never matches'],
  [['x', 'y'], 'has x, y'],
  ['', 'has (blank)'],
])('a plan of %j %s', (plan, words) => {
  const ruleset = rulesetOf(flag('a', { targeting_rules: [proRule] }));
  const [, rule] = explain(ruleset, 'a', { attributes: { plan } }).steps;
  expect(rule!.kind === 'rule' && hasWords(rule!.tests[0]!, names)).toBe(words);
});

test('a version that is a number never matches, and says so', () => {
  const conditions = [{ attribute: 'app', operator: 'version_gt' as const, value: '4.0.0' }];
  const ruleset = rulesetOf(flag('a', { targeting_rules: [{ ...proRule, conditions }] }));
  const [, rule] = explain(ruleset, 'a', { attributes: { app: 4.1 } }).steps;
  expect(rule!.kind === 'rule' && hasWords(rule!.tests[0]!, names)).toBe('has 4.1, not a text');
});

test('a split shows the place of the user, its share, and what is outside of all shares', () => {
  const ruleset = rulesetOf(flag('a', { targeting_rules: [splitRule] }));
  const splits = Array.from({ length: 60 }, (_, index) => {
    const account = explain(ruleset, 'a', { user_key: `user-${index}` });
    const [, rule] = account.steps;
    return { account, split: rule!.kind === 'rule' ? rule!.split! : undefined };
  });
  for (const { account, split } of splits) {
    expect(split!.hit?.variation ?? 'off').toBe(account.result.variation_key);
    expect(split!.bucket! < 40).toBe(split!.hit?.variation === 'on');
    expect(split!.bucket! >= 80).toBe(split!.hit === undefined);
  }
  const outside = splits.find(({ split }) => split!.hit === undefined)!;
  expect(sentence(outside.account)).toContain('outside of its shares');
  const nameless = explain(ruleset, 'a', {});
  expect(sentence(nameless)).toContain('needs a user key');
  for (const { steps } of [outside.account, nameless])
    expect(steps.slice(1).map(({ state }) => state)).toEqual(['passed', 'here']);
});

test.each([
  [[], 'on'],
  [[{ salt: 'holdout', from: 0, to: 5_000 }], 'gate'],
  [
    [
      { salt: 'layer', from: 0, to: 9_000 },
      { salt: 'holdout', from: 2_000, to: 7_000 },
    ],
    'gate',
  ],
])('a split of units behind the gates %j says what the evaluator did', (gates, seen) => {
  const ranges = [
    { variation: 'on', from: 1_000, to: 6_000 },
    { variation: 'off', from: 6_000, to: 9_000 },
  ];
  const bucketing = { revision: 3 as const, salt: 'exp_1', by: 'company_id', ranges, gates };
  const ruleset = rulesetOf(flag('a', { targeting_rules: [{ ...splitRule, bucketing }] }));
  const words = new Set<string>();
  for (let company = 0; company < 200; company++) {
    const account = explain(ruleset, 'a', { user_key: 'ada', attributes: { company_id: company } });
    const [, rule] = account.steps;
    const { hit, bucket, places, unit, by } = rule!.kind === 'rule' ? rule!.split! : assert.fail();
    expect([places, unit, by]).toEqual([10_000, String(company), 'company_id']);
    expect(hit?.variation ?? 'off').toBe(account.result.variation_key);
    expect(hit === undefined).toBe(account.result.reason === 'DEFAULT');
    if (hit) expect(bucket! >= hit.from && bucket! < hit.to).toBe(true);
    expect(statesOf(account)).toEqual(hit ? ['passed', 'here', 'skipped'] : ['passed', 'passed', 'here']);
    words.add(sentence(account));
  }
  const all = [...words].join('\n');
  expect(all).toContain('the split gives on');
  expect(all).toContain('outside of its shares');
  expect(all.includes('gate')).toBe(seen === 'gate');
  if (gates.length > 1) expect(all).toMatch(/gate 1 does not[\s\S]*gate 2 does not|gate 2[\s\S]*gate 1/);
});

test('a split of companies names what a user without one lacks', () => {
  const ranges = [{ variation: 'on', from: 0, to: 10_000 }];
  const bucketing = { revision: 3 as const, salt: 'exp_1', by: 'company_id', ranges };
  const ruleset = rulesetOf(flag('a', { targeting_rules: [{ ...splitRule, bucketing }] }));
  expect(sentence(explain(ruleset, 'a', { user_key: 'ada' }))).toContain('needs a company_id');
  const rows = flagRows(
    createEvaluator(ruleset),
    { attributes: { company_id: 'c1' } },
    { edited: undefined, nameOf: (key) => key },
  );
  expect(rows[0]!.rule).toEqual({ number: 1, share: 100 });
});

test('segments say who is in by conditions and who by the list', () => {
  const ruleset = rulesetOf(flag('a', { targeting_rules: [staffRule] }));
  const segmentOf = (context: object) => {
    const [, rule] = explain(ruleset, 'a', context).steps;
    return rule!.kind === 'rule' ? rule!.tests[0]!.segments : undefined;
  };
  expect(segmentOf({ user_key: 'ada' })).toMatchObject([{ key: 'staff', isIn: true, isListed: true }]);
  const byMail = { user_key: 'bob', attributes: { email: 'bob@northwind.example' } };
  expect(segmentOf(byMail)).toMatchObject([{ isIn: true, isListed: false }]);
  expect(segmentOf({ user_key: 'bob' })).toMatchObject([{ isIn: false, exists: true }]);
  const unknown = [{ attribute: '$segment', operator: 'one_of' as const, value: ['gone'] }];
  const [, rule] = explain(
    rulesetOf(flag('a', { targeting_rules: [{ ...staffRule, conditions: unknown }] })),
    'a',
    {},
  ).steps;
  expect(rule!.kind === 'rule' && rule!.tests[0]!.segments).toMatchObject([{ exists: false, isIn: false }]);
});

test('off, archived, blocked and empty flags say why the default decides', () => {
  const needs = { prerequisites: [{ flag_key: 'b', variation: 'on' }] };
  const ruleset = rulesetOf(
    flag('off', { enabled: false }),
    flag('old', { enabled: false, archived: true }),
    flag('blocked', needs),
    flag('b'),
    flag('empty'),
  );
  expect(sentence(explain(ruleset, 'off', {}))).toContain('off in Staging');
  expect(sentence(explain(ruleset, 'old', {}))).toContain('archived');
  expect(sentence(explain(ruleset, 'blocked', {}))).toContain('b does not serve on');
  expect(statesOf(explain(ruleset, 'blocked', {}))).toEqual(['passed', 'failed', 'here']);
  expect(sentence(explain(ruleset, 'empty', {}))).toContain('no rules');
  expect(
    accountOf(createEvaluator(ruleset), 'draft', { context: {}, segments: createSegmentReader(ruleset) }),
  ).toBe(undefined);
});

test('an edit is evaluated as the server would compile it', () => {
  const ruleset = rulesetOf(flag('a', { targeting_rules: [{ ...splitRule, bucketing: 2 }] }));
  const edited = withEdit(ruleset, 'a', {
    fallback: 'on',
    needs: [],
    rules: [
      {
        id: 'new-1',
        name: '',
        conditions: [{ attribute: '$segment', operator: 'is_not', value: 'staff' }],
        variation: 'off',
        shares: undefined,
      },
      {
        id: 'rule_split',
        name: '',
        conditions: [],
        variation: undefined,
        shares: [
          { variation: 'on', percentage: 100 },
          { variation: 'off', percentage: 0 },
        ],
      },
    ],
  });
  expect(edited.flags[0]).toMatchObject({
    default_variation: 'on',
    targeting_rules: [
      { conditions: [{ operator: 'not_one_of', value: ['staff', 'staff/included'] }], variation: 'off' },
      { percentage_rollout: [{ variation: 'on', percentage: 100 }], bucketing: 2 },
    ],
  });
  expect(createEvaluator(edited).evaluate('a', { user_key: 'ada' }).variation_key).toBe('on');
  expect(createEvaluator(edited).evaluate('a', { user_key: 'bob' }).variation_key).toBe('off');
});

test('the table of all flags marks what the edit changes, also in flags that need it', () => {
  const needs = {
    prerequisites: [{ flag_key: 'a', variation: 'on' }],
    targeting_rules: [{ ...proRule, conditions: [] }],
  };
  const ruleset = rulesetOf(flag('a'), flag('b', needs), flag('c'));
  const edited = createEvaluator(withEdit(ruleset, 'a', { fallback: 'on', needs: [], rules: [] }));
  const rows = flagRows(createEvaluator(ruleset), { user_key: 'ada' }, { edited, nameOf: (key) => key });
  expect(rows.map(({ key, edited: change }) => [key, change?.variation_key])).toEqual([
    ['a', 'on'],
    ['b', 'on'],
    ['c', undefined],
  ]);
  const before = flagRows(createEvaluator(ruleset), {}, { edited: undefined, nameOf: (key) => key });
  expect(before[1]!.missing).toEqual({ flagKey: 'a', variation: 'on' });
});
