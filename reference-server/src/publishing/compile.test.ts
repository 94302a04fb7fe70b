import { expect, test } from 'vitest';
import { clientRuleset, compileRuleset, type FlagRow, type RulesetRows } from './compile.ts';

const rule = {
  id: 'rule_1',
  name: 'Staff',
  priority: 1,
  conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
  variation: 'on',
};

function flagRow(changes: Partial<FlagRow> = {}): FlagRow {
  return {
    key: 'flag',
    flag_type: 'boolean',
    status: 'active',
    enabled: 1,
    client_side: 0,
    variations_json: '[{"key":"on","name":"On","value":true},{"key":"off","name":"Off","value":false}]',
    default_variation: 'off',
    rules_json: JSON.stringify([rule]),
    prerequisites_json: '[]',
    ...changes,
  };
}

function compile(...flags: FlagRow[]) {
  return compileRuleset(rowsOf(flags), '2026-11-20T10:00:00.000Z');
}

function rowsOf(flags: readonly FlagRow[]): RulesetRows {
  const segment = (key: string) => ({ id: `seg_${key}`, key, conditions_json: '[]' });
  return { environmentId: 'env_1', version: 3, flags, segments: [segment('staff'), segment('beta')] };
}

test('compiles a flag to exactly the fields of the wire format', () => {
  expect(compile(flagRow())).toEqual({
    version: 3,
    environment_id: 'env_1',
    flags: [
      {
        key: 'flag',
        flag_type: 'boolean',
        enabled: true,
        variations: [
          { key: 'on', value: true },
          { key: 'off', value: false },
        ],
        default_variation: 'off',
        targeting_rules: [{ id: 'rule_1', priority: 1, conditions: rule.conditions, variation: 'on' }],
      },
    ],
    segments: [
      { id: 'seg_beta', key: 'beta', conditions: [] },
      { id: 'seg_staff', key: 'staff', conditions: [] },
    ],
    fetched_at: '2026-11-20T10:00:00.000Z',
  });
});

test.each([{ enabled: 0 as const }, { status: 'archived' }])(
  'disables a flag with %j and strips its rules',
  (changes) => {
    const [flag] = compile(
      flagRow({ ...changes, prerequisites_json: '[{"flag_key":"a","variation":"on"}]' }),
    ).flags;
    expect(flag).toMatchObject({ enabled: false, targeting_rules: [], default_variation: 'off' });
    expect(flag).not.toHaveProperty('prerequisites');
    expect(flag?.archived).toBe('status' in changes ? true : undefined);
  },
);

test('leaves drafts and deleted flags out, and keeps stale ones', () => {
  const { flags } = compile(
    flagRow({ key: 'a', status: 'draft' }),
    flagRow({ key: 'b', status: 'deleted' }),
    flagRow({ key: 'c', status: 'stale' }),
  );
  expect(flags.map((flag) => flag.key)).toEqual(['c']);
});

test('sorts flags by key and rules by priority; rules of equal priority keep their order', () => {
  const rules = [
    { ...rule, id: 'last', priority: 9 },
    { ...rule, id: 'first of two', priority: 2 },
    { ...rule, id: 'second of two', priority: 2 },
    { ...rule, id: 'first', priority: -1 },
  ];
  const rows = [
    flagRow({ key: 'b' }),
    flagRow({ key: 'a', rules_json: JSON.stringify(rules) }),
    flagRow({ key: 'B' }),
  ];
  const { flags } = compile(...rows);
  expect(flags.map((flag) => flag.key)).toEqual(['B', 'a', 'b']);
  expect(flags[1]?.targeting_rules.map(({ id }) => id)).toEqual([
    'first',
    'first of two',
    'second of two',
    'last',
  ]);
  expect(compile(...[...rows].reverse())).toEqual(compile(...rows));
});

test('leaves out optional fields that have their default value', () => {
  const rollout = [{ variation: 'on', percentage: 10 }];
  const [flag] = compile(
    flagRow({
      client_side: 1,
      track_exposures: 1,
      prerequisites_json: '[{"flag_key":"a","variation":"on"}]',
      rules_json: JSON.stringify([
        { ...rule, variation: null, percentage_rollout: rollout, bucketing: 2 },
        { ...rule, priority: 2, percentage_rollout: null, bucketing: 1 },
      ]),
    }),
  ).flags;
  expect(flag).toMatchObject({
    client_side: true,
    track_exposures: true,
    prerequisites: [{ flag_key: 'a', variation: 'on' }],
  });
  expect(flag?.targeting_rules[0]).toEqual({
    id: 'rule_1',
    priority: 1,
    conditions: rule.conditions,
    percentage_rollout: rollout,
    bucketing: 2,
  });
  expect(Object.keys(flag?.targeting_rules[1] ?? {})).toEqual(['id', 'priority', 'conditions', 'variation']);
});

test('gives clients only client-side flags and the segments that these use', () => {
  const ruleset = compile(
    flagRow({ key: 'seen', client_side: 1 }),
    flagRow({
      key: 'hidden',
      rules_json: JSON.stringify([{ ...rule, conditions: [{ ...rule.conditions[0], value: ['beta'] }] }]),
    }),
  );
  const seen = clientRuleset(ruleset);
  expect(seen.flags.map(({ key }) => key)).toEqual(['seen']);
  expect(seen.segments.map(({ key }) => key)).toEqual(['staff']);
  expect(seen.version).toBe(ruleset.version);
});

test('gives clients the segment that a condition names with the operator "is"', () => {
  const conditions = [{ attribute: '$segment', operator: 'is', value: 'beta' }];
  const ruleset = compile(flagRow({ client_side: 1, rules_json: JSON.stringify([{ ...rule, conditions }]) }));
  expect(clientRuleset(ruleset).segments.map(({ key }) => key)).toEqual(['beta']);
});
