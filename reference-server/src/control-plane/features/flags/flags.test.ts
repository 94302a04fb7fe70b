import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let production: string;
let staging: string;
beforeAll(async () => {
  server = await startServer();
  ({ production, staging } = server.environments);
});
afterAll(() => server.close());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function create(key: string, more: object = {}, environment = production) {
  const { body } = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${environment}`,
    token: server.tokens.editor,
    body: booleanFlag(key, more),
  });
  return body.data as { id: string; revision: number };
}

function put(id: string, body: object, environment = production, headers: Record<string, string> = {}) {
  const url = `/flags/${id}?environment_id=${environment}`;
  return server.call({ method: 'PUT', url, token: server.tokens.editor, body, headers });
}

function toggle(id: string, enabled: unknown, environment = production) {
  const url = `/flags/${id}/toggle?environment_id=${environment}`;
  return server.call({ method: 'POST', url, token: server.tokens.editor, body: { enabled } });
}

function get(path: string, environment = production) {
  const url = `/flags${path}${path.includes('?') ? '&' : '?'}environment_id=${environment}`;
  return server.call({ url, token: server.tokens.viewer });
}

async function versions() {
  const rows = await server.db.selectFrom('rulesets').select(['environment_id', 'version']).execute();
  return Object.fromEntries(rows.map((row) => [row.environment_id, row.version]));
}

test('creates a flag with the record of the specification, in every environment, switched off', async () => {
  const before = await versions();
  const { status, body, headers } = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${production}`,
    token: server.tokens.editor,
    body: booleanFlag('dark-mode', {
      description: 'Dark colours',
      tags: ['ui', 'ui', 'beta'],
      classification: 'release',
    }),
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(/^flg_[0-9A-Z]{26}$/),
      key: 'dark-mode',
      name: 'Flag dark-mode',
      description: 'Dark colours',
      flag_type: 'boolean',
      status: 'active',
      enabled: false,
      variations: [
        { key: 'on', name: 'On', value: true },
        { key: 'off', name: 'Off', value: false },
      ],
      default_variation: 'off',
      targeting_rules: [],
      environment_id: production,
      project_id: server.projectId,
      prerequisites: [],
      tags: ['ui', 'beta'],
      classification: 'release',
      client_side: false,
      track_exposures: false,
      permanent: false,
      owner_id: expect.stringMatching(/^usr_/),
      expected_end_at: null,
      last_evaluated_at: null,
      stale_reasons: [],
      stale_since: null,
      stale_after_days: null,
      archived_at: null,
      revision: 1,
      created_at: TIME,
      updated_at: TIME,
    },
  });
  expect(headers['etag']).toBe('"1"');
  expect((await get(`/${body.data.id}`, staging)).body.data).toMatchObject({
    key: 'dark-mode',
    enabled: false,
    environment_id: staging,
  });
  const after = await versions();
  for (const id of Object.keys(before)) expect(after[id]).toBe(before[id]! + 1);
});

test('refuses a key that the project has, and takes it in another project', async () => {
  const { id: owner } = await create('only-once');
  const createAgain = () =>
    server.call({
      method: 'POST',
      url: `/flags?environment_id=${staging}`,
      token: server.tokens.editor,
      body: booleanFlag('only-once'),
    });
  const again = await createAgain();
  expect([again.status, again.body.error]).toEqual([
    409,
    {
      code: 'FLAG_KEY_CONFLICT',
      message: 'A flag with this key already exists in the project.',
      details: { key: 'only-once', flag_id: owner },
    },
  ]);
  // Lists show no archived flags: nobody would find what is in the way.
  const url = `/flags/${owner}?environment_id=${staging}`;
  await server.call({ method: 'DELETE', url, token: server.tokens.editor });
  const archived = await createAgain();
  expect(archived.body.error).toEqual({
    code: 'FLAG_KEY_CONFLICT',
    message: 'An archived flag has this key; it can be restored, or deleted for good.',
    details: { key: 'only-once', reason: 'archived', flag_id: owner },
  });

  const project = await server.call({
    method: 'POST',
    url: '/projects',
    token: server.tokens.editor,
    body: { key: 'other', name: 'Other' },
  });
  const elsewhere = project.body.data.default_environment_id;
  const flag = await create('only-once', {}, elsewhere);
  expect(flag.id).toMatch(/^flg_/);
  // The same organization, but the flag is not in that environment's project.
  expect((await get(`/${flag.id}`)).body.error.code).toBe('FLAG_NOT_FOUND');
});

test('replaces only the fields that are given', async () => {
  const { id } = await create('partial', { tags: ['keep'], description: 'keep' });
  const { status, body, headers } = await put(id, { name: 'Renamed' });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    name: 'Renamed',
    description: 'keep',
    tags: ['keep'],
    default_variation: 'off',
    targeting_rules: [],
    revision: 2,
  });
  expect(headers['etag']).toBe('"2"');
  expect((await get(`/${id}`)).body).toEqual(body);
});

test('sorts rules by priority, keeps their ids when sent back, and gives new ones', async () => {
  const { id } = await create('rules');
  const rule = (priority: number, name: string, more: object = {}) => ({
    priority,
    name,
    conditions: [],
    variation: 'on',
    ...more,
  });
  const first = await put(id, { targeting_rules: [rule(20, 'late'), rule(10, 'early')] });
  const [early, late] = first.body.data.targeting_rules;
  expect([early.name, late.name]).toEqual(['early', 'late']);
  expect(early.id).toMatch(/^rule_[0-9A-Z]{26}$/);

  const second = await put(id, {
    targeting_rules: [
      rule(5, 'new', {
        variation: undefined,
        percentage_rollout: [{ variation: 'on', percentage: 30 }],
        bucketing: 2,
      }),
      { ...late, priority: 1 },
      rule(5, 'forged', { id: 'rule_FORGED' }),
      rule(5, 'copied', { id: late.id }),
    ],
  });
  const rules = second.body.data.targeting_rules as { id: string; name: string }[];
  expect(rules.map(({ name }) => name)).toEqual(['late', 'new', 'forged', 'copied']);
  expect(rules[0]?.id).toBe(late.id);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(4);
  const codesOf = ({ body }: typeof first) => body.warnings.map(({ code }: { code: string }) => code);
  // None of them has conditions.
  expect(codesOf(first)).toEqual(['rule-unreachable']);
  expect(codesOf(second)).toEqual([...Array(3).fill('rule-unreachable'), 'equal-priorities']);
  expect(second.headers['x-flagsvc-warnings']).toMatch(/^rule-unreachable=rule_\w+, .*, equal-priorities$/);
  expect(rules.map(({ id }) => id)).not.toContain('rule_FORGED');
  expect(rules[1]).toMatchObject({ percentage_rollout: [{ variation: 'on', percentage: 30 }], bucketing: 2 });
  expect(rules[1]).not.toHaveProperty('variation');
});

test('takes a rollout that names a variation twice, with a warning', async () => {
  const { id } = await create('repeating');
  const percentage_rollout = [
    { variation: 'on', percentage: 10 },
    { variation: 'off', percentage: 20 },
    { variation: 'on', percentage: 5 },
  ];
  const { status, headers } = await put(id, {
    targeting_rules: [{ priority: 1, conditions: [], percentage_rollout }],
  });
  expect([status, headers['x-flagsvc-warnings']]).toEqual([200, 'repeated-variation']);
});

test('keeps rules, switch and default apart per environment, and names and variations together', async () => {
  const { id } = await create('per-environment');
  await put(id, { name: 'Shared', default_variation: 'on' }, staging);
  expect((await get(`/${id}`)).body.data).toMatchObject({ name: 'Shared', default_variation: 'off' });
  await toggle(id, true, staging);
  expect((await get(`/${id}`)).body.data.enabled).toBe(false);
});

test('ignores a key, a type and unknown fields, and says so', async () => {
  const { id } = await create('immutable');
  const { body, headers } = await put(id, { key: 'mutable', flag_type: 'json', colour: 'red' });
  expect(body.data).toMatchObject({ key: 'immutable', flag_type: 'boolean' });
  expect(headers['x-flagsvc-ignored-fields']).toBe('key, flag_type, colour');
  const strict = await put(id, { colour: 'red' }, production, { prefer: 'handling=strict' });
  expect(strict.body.error.details.fields).toEqual([
    { field: 'colour', location: 'body', code: 'unknown', message: expect.any(String) },
  ]);
});

test('toggles only the switch', async () => {
  const { id } = await create('switch');
  await put(id, { targeting_rules: [{ priority: 1, name: 'all', conditions: [], variation: 'on' }] });
  const before = (await get(`/${id}`)).body.data;
  const { status, body } = await toggle(id, true);
  expect(status).toBe(200);
  expect(body).toEqual({ data: { id, enabled: true, updated_at: TIME } });
  const after = (await get(`/${id}`)).body.data;
  expect(after).toEqual({
    ...before,
    enabled: true,
    revision: before.revision + 1,
    updated_at: body.data.updated_at,
  });
});

test.each([null, 0, 1, 'false', 'true', [], {}])('does not take %j for a boolean', async (enabled) => {
  const flag = (await get('?search=switch')).body.data[0];
  const { status, body } = await toggle(flag.id, enabled);
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.details.fields[0]).toMatchObject({ field: 'enabled', location: 'body', code: 'type' });
});

test('archives: the flag is still read, is listed only when asked for, and keeps its key', async () => {
  const { id } = await create('old');
  await toggle(id, true);
  const archive = () =>
    server.call({
      method: 'DELETE',
      url: `/flags/${id}?environment_id=${production}`,
      token: server.tokens.editor,
    });
  const { status, body } = await archive();
  expect([status, body]).toEqual([204, undefined]);
  expect((await get(`/${id}`)).body.data.status).toBe('archived');
  expect((await get('?search=old')).body.data).toEqual([]);
  expect((await get('?search=old&status=archived')).body.data).toHaveLength(1);
  const { error } = (await put(id, { name: 'x' })).body;
  expect([error.code, error.message]).toEqual(['FLAG_ARCHIVED', expect.stringMatching(/flag_id\}\/restore/)]);
  expect((await toggle(id, false)).status).toBe(200);
  const entries = async () => (await get(`/${id}/history`)).body.meta.total;
  const before = await entries();
  expect((await archive()).status).toBe(204);
  expect(await entries()).toBe(before);
  expect((await create('old')) as unknown).toBeUndefined();
});

test('answers 404 for unknown flags and environments, 400 without an environment', async () => {
  const { id } = await create('here');
  expect((await get('/flg_unknown')).body.error).toMatchObject({ code: 'FLAG_NOT_FOUND' });
  expect((await get(`/${id}`, 'env_unknown')).body.error).toMatchObject({ code: 'ENVIRONMENT_NOT_FOUND' });
  for (const [method, url] of [
    ['GET', '/flags'],
    ['POST', '/flags'],
    ['GET', `/flags/${id}`],
    ['PUT', `/flags/${id}`],
    ['DELETE', `/flags/${id}`],
    ['POST', `/flags/${id}/toggle`],
    ['GET', `/flags/${id}/history`],
  ] as const) {
    const body = method === 'GET' || method === 'DELETE' ? undefined : booleanFlag('x', { enabled: true });
    const answer = await server.call({ method, url, token: server.tokens.editor, body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error.details.fields).toEqual([
      { field: 'environment_id', location: 'query', code: 'required', message: 'is required' },
    ]);
  }
});

test('tells the history: newest first, with actor and changes, per environment', async () => {
  const { id } = await create('storied');
  await toggle(id, true);
  const rules = [{ priority: 1, name: 'all', conditions: [], variation: 'on' }];
  const { body } = await put(id, { targeting_rules: rules }, staging);
  const [rule] = body.data.targeting_rules;
  await put(id, { name: 'Renamed' });

  const { status, body: history } = await get(`/${id}/history`);
  expect(status).toBe(200);
  expect(history.meta).toEqual({ page: 1, per_page: 50, total: 3 });
  expect(history.data.map((entry: { action: string }) => entry.action)).toEqual([
    'flag.updated',
    'flag.toggled',
    'flag.created',
  ]);
  expect(history.data[1]).toEqual({
    id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
    action: 'flag.toggled',
    actor: { id: expect.stringMatching(/^usr_/), email: 'editor@example.com', name: null, kind: 'user' },
    changes: { enabled: { from: false, to: true } },
    timestamp: TIME,
  });
  expect(history.data[0].changes).toEqual({ name: { from: 'Flag storied', to: 'Renamed' } });

  const elsewhere = await get(`/${id}/history`, staging);
  expect(elsewhere.body.data.map((entry: { changes: object }) => Object.keys(entry.changes))).toEqual([
    ['name'],
    ['targeting_rules'],
    expect.arrayContaining(['key', 'enabled', 'variations']),
  ]);
  expect(elsewhere.body.data[1].changes.targeting_rules).toEqual({ from: [], to: [rule] });
});

test('writes no entry and no new version for a change that changes nothing', async () => {
  const { id, revision } = await create('still');
  const before = await versions();
  expect((await toggle(id, false)).status).toBe(200);
  expect((await put(id, { name: 'Flag still' })).body.data.revision).toBe(revision);
  expect(await versions()).toEqual(before);
  const history = (await get(`/${id}/history`)).body.data;
  expect(history.map(({ action }: { action: string }) => action)).toEqual(['flag.created']);
});

test('raises the version only of the environments whose ruleset changes', async () => {
  const { id } = await create('versions');
  const raised = async (change: () => Promise<unknown>) => {
    const before = await versions();
    await change();
    const after = await versions();
    return Object.keys(server.environments).filter((name) => {
      const environment = server.environments[name as 'staging'];
      return after[environment] !== before[environment];
    });
  };
  expect(await raised(() => toggle(id, true))).toEqual(['production']);
  expect(await raised(() => put(id, { name: 'No version', tags: ['x'] }))).toEqual([]);
  expect(await raised(() => put(id, { client_side: true }))).toEqual([
    'development',
    'staging',
    'production',
  ]);
  expect(await raised(() => put(id, { default_variation: 'on' }, staging))).toEqual(['staging']);
});

test('lets one of two editors with the same revision win', async () => {
  const { id } = await create('contested');
  const headers = { 'if-match': '"1"' };
  const answers = await Promise.all([
    put(id, { name: 'Mine' }, production, headers),
    put(id, { name: 'Yours' }, production, headers),
  ]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412]);
  const loser = answers.find((answer) => answer.status === 412);
  expect(loser?.body.error).toMatchObject({
    code: 'PRECONDITION_FAILED',
    details: { current_revision: 2 },
  });
  // A change in another environment does not move this one's revision.
  await toggle(id, true, staging);
  expect((await put(id, { name: 'Next' }, production, { 'if-match': 'W/"2"' })).status).toBe(200);
});

test('repeats the answer to a repeated Idempotency-Key, and acts once', async () => {
  const url = `/flags?environment_id=${production}`;
  const headers = { 'idempotency-key': 'create-1' };
  const send = (body: object) =>
    server.call({ method: 'POST', url, token: server.tokens.editor, body, headers });
  const [first, second] = await Promise.all([
    send(booleanFlag('idempotent')),
    send(booleanFlag('idempotent')),
  ]);
  expect([first?.status, second?.status]).toEqual([201, 201]);
  expect(second?.body).toEqual(first?.body);
  const replayed = [first, second].map((answer) => answer?.headers['idempotency-replayed'] ?? 'first');
  expect(replayed.sort()).toEqual(['first', 'true']);
  const other = await send(booleanFlag('idempotent-2'));
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
});
