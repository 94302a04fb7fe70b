import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { codeOf, refused } from '../../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

let server: TestServer;
let api: Api;
let flagId: string;

beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  await api.segments.create(server.projectId, { key: 'staff', conditions: [] });
  ({ id: flagId } = await api.flags.create(booleanFlag('target')));
});
afterAll(() => server.close());

const create = (body: object) => api.unchecked.flags.create(body);
const update = (body: object, id = flagId) => api.unchecked.flags.update(id, body);
const updateRule = (rule: object) =>
  update({ targeting_rules: [{ priority: 1, name: 'rule', conditions: [], variation: 'on', ...rule }] });

const variation = (key: string, value: unknown, name = key) => ({ key, name, value });
const typed = (flag_type: 'boolean' | 'string' | 'number' | 'json', ...values: unknown[]) =>
  booleanFlag(`typed-${flag_type}`, {
    flag_type,
    variations: values.map((value, index) => variation(`v${index}`, value)),
    default_variation: 'v0',
  });

test.each([
  ['boolean', true, false],
  ['string', 'a', ''],
  ['number', 0, -1.5, 1e300],
  ['json', {}, [], { deep: [{ a: null }] }],
] as const)('variations can have values of type %s', async (flag_type, ...values) => {
  const { variations } = await create(typed(flag_type, ...values));
  expect(variations.map(({ value }) => value)).toEqual(values);
});

test.each([
  ['VARIATION_COUNT_INVALID', typed('boolean', true)],
  ['VARIATION_COUNT_INVALID', typed('boolean', true, false, true)],
  ['VARIATION_COUNT_INVALID', typed('boolean')],
  ['VARIATION_COUNT_INVALID', typed('string')],
  ['VARIATION_VALUE_TYPE_MISMATCH', typed('boolean', true, 'false')],
  ['VARIATION_VALUE_TYPE_MISMATCH', typed('boolean', true, 0)],
  ['VARIATION_VALUE_TYPE_MISMATCH', typed('string', 1)],
  ['VARIATION_VALUE_TYPE_MISMATCH', typed('string', null)],
  ['VARIATION_VALUE_TYPE_MISMATCH', typed('number', '1')],
  ['VARIATION_VALUE_TYPE_MISMATCH', typed('json', 'text')],
  ['VARIATION_VALUE_TYPE_MISMATCH', typed('json', null)],
  [
    'VARIATION_KEY_DUPLICATE',
    booleanFlag('twice', { variations: [variation('on', true), variation('on', false)] }),
  ],
  ['DEFAULT_VARIATION_UNKNOWN', booleanFlag('default', { default_variation: 'maybe' })],
  ['LIMIT_EXCEEDED', booleanFlag('long', { name: 'x'.repeat(201) })],
  ['LIMIT_EXCEEDED', booleanFlag('long', { description: 'x'.repeat(2_001) })],
  ['LIMIT_EXCEEDED', booleanFlag('x'.repeat(101))],
  ['LIMIT_EXCEEDED', booleanFlag('tags', { tags: Array(21).fill('t') })],
  ['LIMIT_EXCEEDED', typed('string', ...Array(51).fill('v'))],
  ['LIMIT_EXCEEDED', typed('string', 'x'.repeat(33_000))],
  ['LIMIT_EXCEEDED', typed('string', ...Array(9).fill('x'.repeat(32_000)))],
])('a new flag with %s is refused', async (code, flag) => {
  expect(await codeOf(create(flag))).toBe(code);
});

test.each([typed('number', 4711), typed('json', { deep: [4711] })])(
  'the number %j parses to Infinity and is refused',
  async (flag) => {
    const text = JSON.stringify({ ...flag, key: 'endless' }).replace('4711', '1e999');
    expect(await refused(api.unchecked.flags.create(text))).toMatchObject({
      code: 'VARIATION_VALUE_TYPE_MISMATCH',
      details: { field: 'variations.0.value' },
    });
  },
);

test.each([
  ['Dark-Mode', 'pattern'],
  ['dark_mode', 'pattern'],
  ['-dark', 'pattern'],
  ['dark--mode', 'pattern'],
  ['', 'pattern'],
  [7, 'type'],
  [null, 'type'],
])('the key %j is refused', async (key, code) => {
  const { details } = await refused(create({ ...booleanFlag('x'), key }));
  expect(details.fields).toEqual([{ field: 'key', location: 'body', code, message: expect.any(String) }]);
});

test('the refusal names every missing field', async () => {
  const { code, details } = await refused(create({}));
  expect(code).toBe('VALIDATION_ERROR');
  expect(details.fields.map((fault: { field: string }) => fault.field)).toEqual([
    'key',
    'name',
    'flag_type',
    'variations',
    'default_variation',
  ]);
});

const rollout = (...shares: [string, number][]) => ({
  variation: undefined,
  percentage_rollout: shares.map(([key, percentage]) => ({ variation: key, percentage })),
});
const condition = (operator: string, value: unknown, attribute = 'a') => ({
  conditions: [{ attribute, operator, value }],
});

test.each([
  [rollout(['on', 50], ['off', 50])],
  [rollout(['on', 100])],
  [rollout(['on', 10])],
  [rollout(['on', 0])],
  [{ percentage_rollout: null }],
  [condition('is', 'x')],
  [condition('is', true)],
  [condition('one_of', ['a', 1])],
  [condition('one_of', [])],
  [condition('gt', 5)],
  [condition('gt', '5.5e3')],
  [condition('lt', -5)],
  [condition('matches_regex', '^a+$')],
  [condition('version_gt', '1.2.3-rc.1')],
  [condition('version_lt', 'v2')],
  [condition('one_of', ['staff'], '$segment')],
  [condition('not_one_of', ['staff'], '$segment')],
])('a rule with %j is accepted', async (rule) => {
  expect(await codeOf(updateRule(rule))).toBe('OK');
});

test.each([
  ['RULE_ROLLOUT_EXCEEDS_100', rollout(['on', 60], ['off', 41])],
  ['RULE_ROLLOUT_EXCEEDS_100', rollout(['on', 150])],
  ['RULE_TARGET_INVALID', { variation: undefined }],
  ['RULE_TARGET_INVALID', { variation: null }],
  ['RULE_TARGET_INVALID', rollout()],
  ['RULE_TARGET_INVALID', { ...rollout(['on', 10]), variation: 'on' }],
  ['RULE_VARIATION_UNKNOWN', { variation: 'maybe' }],
  ['RULE_VARIATION_UNKNOWN', rollout(['on', 10], ['maybe', 10])],
  ['CONDITION_VALUE_INVALID', condition('is', ['x'])],
  ['CONDITION_VALUE_INVALID', condition('one_of', 'x')],
  ['CONDITION_VALUE_INVALID', condition('gt', 'five')],
  ['CONDITION_VALUE_INVALID', condition('gt', '')],
  ['CONDITION_VALUE_INVALID', condition('lt', '0x10')],
  ['CONDITION_VALUE_INVALID', condition('lt', true)],
  ['CONDITION_VALUE_INVALID', condition('version_gt', 'latest')],
  ['CONDITION_VALUE_INVALID', condition('version_lt', 1.1)],
  ['CONDITION_VALUE_INVALID', condition('contains', 'staff', '$segment')],
  ['CONDITION_VALUE_INVALID', condition('one_of', [1], '$segment')],
  ['CONDITION_VALUE_INVALID', condition('is', ['staff'], '$segment')],
  ['REGEX_INVALID', condition('matches_regex', '(')],
  ['REGEX_INVALID', condition('matches_regex', '(?=x)')],
  ['REGEX_INVALID', condition('matches_regex', '')],
  ['REGEX_INVALID', condition('matches_regex', 7)],
  ['REGEX_INVALID', condition('matches_regex', 'x'.repeat(513))],
  ['SEGMENT_UNKNOWN', condition('one_of', ['staff', 'nowhere'], '$segment')],
  ['LIMIT_EXCEEDED', { conditions: Array(21).fill({ attribute: 'a', operator: 'is', value: 'x' }) }],
  ['LIMIT_EXCEEDED', condition('one_of', Array(1_001).fill('x'))],
  ['LIMIT_EXCEEDED', condition('is', 'x'.repeat(1_025))],
])('a rule with %s is refused: %j', async (code, rule) => {
  const refusal = await refused(updateRule(rule));
  expect(refusal.code).toBe(code);
  expect(refusal.details.field).toMatch(/^targeting_rules\.0/);
});

test.each([
  ['an unknown operator', condition('equals', 'x'), 'conditions.0.operator'],
  ['null as value', condition('is', null), 'conditions.0.value'],
  ['an object as value', condition('is', {}), 'conditions.0.value'],
  ['a reserved attribute', condition('is', 'x', '$user_key'), 'conditions.0.attribute'],
  ['a fraction as percentage', rollout(['on', 0.5]), 'percentage_rollout.0.percentage'],
  ['a negative percentage', rollout(['on', -1]), 'percentage_rollout.0.percentage'],
  ['a text as priority', { priority: '1' }, 'priority'],
  ['no conditions', { conditions: undefined }, 'conditions'],
  ['a third bucketing', { bucketing: 3 }, 'bucketing'],
])('a rule with %s is refused as malformed', async (_, rule, field) => {
  const { code, details } = await refused(updateRule(rule));
  expect(code).toBe('VALIDATION_ERROR');
  expect(details.fields[0].field).toBe(`targeting_rules.0.${field}`);
});

test.each([
  [condition('matches_regex', 7), /dialect: it must be a string/],
  [condition('is', 'x'.repeat(1_025)), /at most 1024 characters in targeting_rules\.0\.conditions\.0\.value/],
])('the refusal of %j explains the fault', async (rule, message) => {
  expect((await refused(updateRule(rule))).message).toMatch(message);
});

test('a flag has at most 50 rules', async () => {
  const rule = { priority: 1, conditions: [], variation: 'on' };
  expect(await codeOf(update({ targeting_rules: Array(50).fill(rule) }))).toBe('OK');
  expect(await refused(update({ targeting_rules: Array(51).fill(rule) }))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { field: 'targeting_rules', limit: 'maxItems', maximum: 50 },
  });
});

test('references to segments are stored in one form, whichever operator was sent', async () => {
  const { targeting_rules } = await updateRule(condition('is_not', 'staff', '$segment'));
  expect(targeting_rules[0]?.conditions).toEqual([
    { attribute: '$segment', operator: 'not_one_of', value: ['staff'] },
  ]);
});

test('a variation that a rule or a prerequisite uses in any environment cannot be removed', async () => {
  const { production, staging } = server.environments;
  const three = ['a', 'b', 'c'].map((key) => variation(key, key));
  const without = (...keys: string[]) => three.filter(({ key }) => !keys.includes(key));
  const { id } = await create(
    booleanFlag('removal', { flag_type: 'string', variations: three, default_variation: 'a' }),
  );
  await api.in(staging).flags.update(id, {
    targeting_rules: [
      { priority: 1, conditions: [], percentage_rollout: [{ variation: 'b', percentage: 5 }] },
    ],
  });
  await update({ prerequisites: [{ flag_key: 'removal', variation: 'c' }] });

  const usesOf = async (body: object) => {
    const { code, details } = await refused(update(body, id));
    expect(code).toBe('VARIATION_IN_USE');
    return details.uses;
  };
  expect(await usesOf({ variations: without('b') })).toEqual([
    {
      variation: 'b',
      environment_id: staging,
      used_by: 'rule',
      rule_id: expect.stringMatching(/^rule_/),
    },
  ]);
  expect(await usesOf({ variations: without('c') })).toEqual([
    { variation: 'c', environment_id: production, used_by: 'prerequisite', flag_key: 'target' },
  ]);
  // The default of the two other environments is still "a".
  expect(await usesOf({ variations: without('a'), default_variation: 'b' })).toHaveLength(2);
  await update({ prerequisites: [] });
  expect(await codeOf(update({ variations: without('c') }, id))).toBe('OK');
});

test('the refusal of a value states the required type or the size limit', async () => {
  expect((await refused(create(typed('json', 'text')))).message).toBe(
    'The value of a variation of a json flag must be an object or an array.',
  );
  expect((await refused(create(typed('string', 'x'.repeat(33_000))))).message).toBe(
    'A limit is exceeded: at most 32768 bytes of JSON in variations.0.value.',
  );
});

test('a new flag may have null as its classification', async () => {
  const { classification } = await create(booleanFlag('unclassified', { classification: null }));
  expect(classification).toBeNull();
});

test.each([' ', '\u200b', '\u2060\n'])('the invisible name %j is refused', async (name) => {
  const { code, details } = await refused(create(booleanFlag('seen', { name })));
  expect(code).toBe('VALIDATION_ERROR');
  expect(details.fields).toMatchObject([{ field: 'name', message: 'must not be empty' }]);
});

test('only members can own flags', async () => {
  const unknown = [{ field: 'owner_id', code: 'unknown' }];
  const stranger = booleanFlag('owned', { owner_id: 'usr_nobody' });
  expect((await refused(create(stranger))).details.fields).toMatchObject(unknown);
  const { id: viewer } = await server.as('viewer').auth.me();
  expect((await create(booleanFlag('owned', { owner_id: viewer }))).owner_id).toBe(viewer);
  expect((await create(booleanFlag('ownerless', { owner_id: null }))).owner_id).toBeNull();
  expect((await refused(update({ owner_id: 'usr_nobody' }))).details.fields).toMatchObject(unknown);
});

test('a date may have any time zone and is returned in UTC', async () => {
  expect(await codeOf(update({ expected_end_at: 'tomorrow' }))).toBe('VALIDATION_ERROR');
  const dated = await update({ expected_end_at: '2027-01-01T00:00:00+01:00' });
  expect(dated.expected_end_at).toBe('2026-12-31T23:00:00.000Z');
});
