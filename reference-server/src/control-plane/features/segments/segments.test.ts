import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = `/projects/${server.projectId}/segments`;
});
afterAll(() => server.close());

const conditions = [{ attribute: 'email', operator: 'contains', value: '@example.com' }];

function send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
  return server.call({ method, url: path, token: server.tokens.editor, body });
}

test('creates, lists, reads and changes segments', async () => {
  const created = await send('POST', url, { key: 'beta', name: 'Beta', conditions });
  expect(created.status).toBe(201);
  expect(created.body.data).toEqual({
    id: expect.stringMatching(/^seg_[0-9A-Z]{26}$/),
    project_id: server.projectId,
    key: 'beta',
    name: 'Beta',
    description: '',
    conditions,
    included: null,
    excluded: [],
    tags: [],
    usage_count: 0,
    revision: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const { id } = created.body.data;
  const changed = await send('PUT', `/segments/${id}`, { description: 'Testers' });
  expect(changed.body.data).toMatchObject({ name: 'Beta', description: 'Testers', conditions, revision: 2 });
  expect((await server.call({ url: `/segments/${id}`, token: server.tokens.viewer })).body).toEqual(
    changed.body,
  );
  const list = await server.call({ url, token: server.tokens.viewer });
  const { included: _i, excluded: _e, ...listed } = changed.body.data;
  expect(list.body).toEqual({
    data: [{ ...listed, included_count: null, excluded_count: 0 }],
    meta: { page: 1, per_page: 50, total: 1 },
  });
});

test('refuses a key that is taken, nesting, and conditions that can never match', async () => {
  await send('POST', url, { key: 'twice', conditions: [] });
  const twice = await send('POST', url, { key: 'twice', conditions: [] });
  expect([twice.status, twice.body.error]).toMatchObject([
    409,
    { code: 'SEGMENT_KEY_CONFLICT', details: { key: 'twice' } },
  ]);
  const nested = await send('POST', url, {
    key: 'nested',
    conditions: [{ attribute: '$segment', operator: 'one_of', value: ['twice'] }],
  });
  expect([nested.status, nested.body.error.code]).toEqual([422, 'SEGMENT_NESTING']);
  const pattern = await send('POST', url, {
    key: 'pattern',
    conditions: [{ attribute: 'a', operator: 'matches_regex', value: '(' }],
  });
  expect([pattern.status, pattern.body.error.code]).toEqual([422, 'REGEX_INVALID']);
  const long = await send('POST', url, {
    key: 'long',
    conditions: [{ attribute: 'email', operator: 'matches_regex', value: 'x'.repeat(513) }],
  });
  expect(long.body.error).toEqual({
    code: 'REGEX_INVALID',
    message: 'A regular expression has at most 512 characters.',
    details: { field: 'conditions.0.value', position: 0, maximum: 512 },
  });
});

test('raises every ruleset of the project when its conditions change, and none for its name', async () => {
  const { body } = await send('POST', url, { key: 'reach', conditions });
  const versions = async () =>
    (await server.db.selectFrom('rulesets').select('version').orderBy('environment_id').execute()).map(
      (row) => row.version,
    );
  const before = await versions();
  await send('PUT', `/segments/${body.data.id}`, { name: 'Renamed' });
  expect(await versions()).toEqual(before);
  await send('PUT', `/segments/${body.data.id}`, { conditions: [] });
  expect(await versions()).toEqual(before.map((version) => version + 1));
});

test('stays while a rule refers to it', async () => {
  const segment = await send('POST', url, { key: 'used', conditions });
  const { id } = segment.body.data;
  const flags = `/flags?environment_id=${server.environments.staging}`;
  const flag = await send('POST', flags, booleanFlag('user'));
  const one = `/flags/${flag.body.data.id}?environment_id=${server.environments.staging}`;
  await send('PUT', one, {
    targeting_rules: [
      {
        priority: 1,
        conditions: [{ attribute: '$segment', operator: 'is', value: 'used' }],
        variation: 'on',
      },
    ],
  });
  const used = await server.call({ url: `/segments/${id}`, token: server.tokens.viewer });
  expect(used.body.data.usage_count).toBe(1);
  const refused = await send('DELETE', `/segments/${id}`);
  expect(refused.body.error).toMatchObject({ code: 'RESOURCE_IN_USE', details: { flags: ['user'] } });
  await send('PUT', one, { targeting_rules: [] });
  expect((await send('DELETE', `/segments/${id}`)).status).toBe(204);
  const gone = await server.call({ url: `/segments/${id}`, token: server.tokens.viewer });
  expect([gone.status, gone.body.error.code]).toEqual([404, 'SEGMENT_NOT_FOUND']);
});

test('says where a segment is used, rule by rule', async () => {
  const { body: created } = await send('POST', url, { key: 'where', conditions });
  const environment = server.environments.staging;
  const flag = await send('POST', `/flags?environment_id=${environment}`, booleanFlag('where-flag'));
  const staff = [{ attribute: '$segment', operator: 'one_of', value: ['where'] }];
  const targeting_rules = [
    { priority: 1, name: 'a', conditions: staff, variation: 'on' },
    { priority: 2, name: 'b', conditions: [], variation: 'on' },
    { priority: 3, name: 'c', conditions: staff, variation: 'off' },
  ];
  const put = await send('PUT', `/flags/${flag.body.data.id}?environment_id=${environment}`, {
    targeting_rules,
  });
  const [first, , third] = put.body.data.targeting_rules;
  const usage = await server.call({ url: `/segments/${created.data.id}/usage`, token: server.tokens.viewer });
  expect(usage.body.data).toEqual([
    {
      flag_id: flag.body.data.id,
      flag_key: 'where-flag',
      environment_id: environment,
      rule_ids: [first.id, third.id],
    },
  ]);
});

test('tries a segment on a context, and tells what each condition made of it', async () => {
  const both = [...conditions, { attribute: 'plan', operator: 'one_of', value: ['pro'] }];
  const { body: created } = await send('POST', url, { key: 'tried', conditions: both });
  const tryOn = async (context: object) =>
    (
      await server.call({
        method: 'POST',
        url: `/segments/${created.data.id}/test`,
        token: server.tokens.viewer,
        body: { context },
      })
    ).body.data;
  const all = await tryOn({ user_key: 'u', attributes: { email: 'a@example.com', plan: 'pro' } });
  expect([all.matches, all.conditions.map((one: { matched: boolean }) => one.matched)]).toEqual([
    true,
    [true, true],
  ]);
  const one = await tryOn({ attributes: { plan: 'pro' } });
  expect([one.matches, one.conditions]).toEqual([
    false,
    [
      { ...both[0], matched: false },
      { ...both[1], matched: true },
    ],
  ]);
});

test('keeps at most 300 segments', async () => {
  const at = '2026-11-20T10:00:00.000Z';
  await server.db
    .insertInto('segments')
    .values(
      Array.from({ length: 300 }, (_, index) => ({
        organization_id: server.organizationId,
        project_id: server.projectId,
        id: `seg_${index}`,
        key: `filler-${index}`,
        name: 'x',
        description: '',
        conditions_json: '[]',
        tags_json: '[]',
        revision: 1,
        created_at: at,
        updated_at: at,
      })),
    )
    .execute();
  const { status, body } = await send('POST', url, { key: 'one-more', conditions: [] });
  expect([status, body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
});
