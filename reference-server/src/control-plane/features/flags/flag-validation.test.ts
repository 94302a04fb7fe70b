import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let environment: string;
let flagId: string;

beforeAll(async () => {
  server = await startServer();
  environment = server.environments.production;
  await server.call({
    method: 'POST',
    url: `/projects/${server.projectId}/segments`,
    token: server.tokens.editor,
    body: { key: 'staff', conditions: [] },
  });
  flagId = (await create(booleanFlag('target'))).body.data.id;
});
afterAll(() => server.close());

function create(body: object) {
  const url = `/flags?environment_id=${environment}`;
  return server.call({ method: 'POST', url, token: server.tokens.editor, body });
}

function put(body: object, id = flagId) {
  const url = `/flags/${id}?environment_id=${environment}`;
  return server.call({ method: 'PUT', url, token: server.tokens.editor, body });
}

function putRule(rule: object) {
  return put({ targeting_rules: [{ priority: 1, name: 'rule', conditions: [], variation: 'on', ...rule }] });
}

const variation = (key: string, value: unknown, name = key) => ({ key, name, value });
const typed = (flag_type: string, ...values: unknown[]) =>
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
])('takes values of type %s', async (flag_type, ...values) => {
  const { status, body } = await create(typed(flag_type, ...values));
  expect(status).toBe(201);
  expect(body.data.variations.map((one: { value: unknown }) => one.value)).toEqual(values);
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
])('refuses to create with %s', async (code, flag) => {
  const { status, body } = await create(flag);
  expect([status, body.error.code]).toEqual([422, code]);
});

test.each([typed('number', 4711), typed('json', { deep: [4711] })])(
  'refuses a number that is too large to be one, which would be kept as null: %j',
  async (flag) => {
    const text = JSON.stringify({ ...flag, key: 'endless' }).replace('4711', '1e999');
    const { status, body } = await create(text as unknown as object);
    expect([status, body.error]).toMatchObject([
      422,
      { code: 'VARIATION_VALUE_TYPE_MISMATCH', details: { field: 'variations.0.value' } },
    ]);
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
])('refuses the key %j', async (key, code) => {
  const { status, body } = await create({ ...booleanFlag('x'), key });
  expect(status).toBe(400);
  expect(body.error.details.fields).toEqual([
    { field: 'key', location: 'body', code, message: expect.any(String) },
  ]);
});

test('names every field that is missing', async () => {
  const { status, body } = await create({});
  expect(status).toBe(400);
  expect(body.error.details.fields.map((one: { field: string }) => one.field)).toEqual([
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
])('takes a rule with %j', async (rule) => {
  expect((await putRule(rule)).status).toBe(200);
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
])('refuses a rule with %s: %j', async (code, rule) => {
  const { status, body } = await putRule(rule);
  expect([status, body.error.code]).toEqual([422, code]);
  expect(body.error.details.field).toMatch(/^targeting_rules\.0/);
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
])('refuses a rule with %s as malformed', async (_, rule, field) => {
  const { status, body } = await putRule(rule);
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.details.fields[0].field).toBe(`targeting_rules.0.${field}`);
});

test.each([
  [condition('matches_regex', 7), /dialect: it must be a text/],
  [condition('is', 'x'.repeat(1_025)), /at most 1024 characters in targeting_rules\.0\.conditions\.0\.value/],
])('says of %j what is wrong', async (rule, message) => {
  expect((await putRule(rule)).body.error.message).toMatch(message);
});

test('keeps at most 50 rules', async () => {
  const rule = { priority: 1, conditions: [], variation: 'on' };
  expect((await put({ targeting_rules: Array(50).fill(rule) })).status).toBe(200);
  const { body } = await put({ targeting_rules: Array(51).fill(rule) });
  expect(body.error).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { field: 'targeting_rules', limit: 'maxItems', maximum: 50 },
  });
});

test('stores references to segments in one form', async () => {
  const { body } = await putRule(condition('is_not', 'staff', '$segment'));
  expect(body.data.targeting_rules[0].conditions).toEqual([
    { attribute: '$segment', operator: 'not_one_of', value: ['staff'] },
  ]);
});

test('refuses to remove a variation that is served anywhere or waited for', async () => {
  const three = ['a', 'b', 'c'].map((key) => variation(key, key));
  const flag = await create(
    booleanFlag('removal', { flag_type: 'string', variations: three, default_variation: 'a' }),
  );
  const { id } = flag.body.data;
  const staging = server.environments.staging;
  await server.call({
    method: 'PUT',
    url: `/flags/${id}?environment_id=${staging}`,
    token: server.tokens.editor,
    body: { targeting_rules: [{ priority: 1, conditions: [], ...rollout(['b', 5]) }] },
  });
  await put({ prerequisites: [{ flag_key: 'removal', variation: 'c' }] });

  const inRule = await put({ variations: three.filter(({ key }) => key !== 'b') }, id);
  expect([inRule.status, inRule.body.error.code]).toEqual([422, 'VARIATION_IN_USE']);
  expect(inRule.body.error.details.uses).toEqual([
    {
      variation: 'b',
      environment_id: staging,
      used_by: 'rule',
      rule_id: expect.stringMatching(/^rule_/),
    },
  ]);
  const waitedFor = await put({ variations: three.filter(({ key }) => key !== 'c') }, id);
  expect(waitedFor.body.error.details.uses).toEqual([
    { variation: 'c', environment_id: environment, used_by: 'prerequisite', flag_key: 'target' },
  ]);
  const isDefault = await put({ variations: three.slice(1), default_variation: 'b' }, id);
  expect(isDefault.body.error.details.uses).toHaveLength(2);
  await put({ prerequisites: [] });
  expect((await put({ variations: three.slice(0, 2) }, id)).status).toBe(200);
});

test('says what the value of a variation must be, and how large it may be', async () => {
  const messageOf = async (flag: object) => (await create(flag)).body.error.message;
  expect(await messageOf(typed('json', 'text'))).toBe(
    'The value of a variation of a json flag must be an object or an array.',
  );
  expect(await messageOf(typed('string', 'x'.repeat(33_000)))).toBe(
    'A limit is exceeded: at most 32768 bytes of JSON in variations.0.value.',
  );
});

test('takes null as the classification of a new flag, as it shows it', async () => {
  const made = await create(booleanFlag('unclassified', { classification: null }));
  expect([made.status, made.body.data.classification]).toEqual([201, null]);
});

test.each([' ', '\u200b', '\u2060\n'])('refuses %j as a name, in which nothing is seen', async (name) => {
  const { status, body } = await create(booleanFlag('seen', { name }));
  expect([status, body.error.details.fields.map((one: { message: string }) => one.message)]).toEqual([
    400,
    ['must not be empty'],
  ]);
});

test('refuses an owner who is not a member, and a date that is none', async () => {
  const made = await create(booleanFlag('owned', { owner_id: 'usr_nobody' }));
  expect(made.body.error.details.fields[0]).toMatchObject({ field: 'owner_id', code: 'unknown' });
  const viewer = (await server.call({ url: '/auth/me', token: server.tokens.viewer })).body.data.id;
  const given = await create(booleanFlag('owned', { owner_id: viewer }));
  expect(given.body.data.owner_id).toBe(viewer);
  expect((await create(booleanFlag('ownerless', { owner_id: null }))).body.data.owner_id).toBeNull();
  const owner = await put({ owner_id: 'usr_nobody' });
  expect(owner.body.error.details.fields[0]).toMatchObject({ field: 'owner_id', code: 'unknown' });
  expect((await put({ expected_end_at: 'tomorrow' })).status).toBe(400);
  const dated = await put({ expected_end_at: '2027-01-01T00:00:00+01:00' });
  expect(dated.body.data.expected_end_at).toBe('2026-12-31T23:00:00.000Z');
});
