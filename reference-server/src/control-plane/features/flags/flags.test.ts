import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let production: string;
let staging: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  ({ production, staging } = server.environments);
});
afterAll(() => server.close());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The version of each environment's ruleset. */
async function versions() {
  const rows = await server.db.selectFrom('rulesets').select(['environment_id', 'version']).execute();
  return Object.fromEntries(rows.map((row) => [row.environment_id, row.version]));
}

test('a new flag is disabled in every environment, and has every field of the specification', async () => {
  const before = await versions();
  const body = booleanFlag('dark-mode', {
    description: 'Dark colours',
    tags: ['ui', 'ui', 'beta'],
    classification: 'release',
  });
  const created = await api.flags.create(body).answer;
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
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
  expect(created.headers.etag).toBe('"1"');
  expect(await api.in(staging).flags.get(created.body.data.id)).toMatchObject({
    key: 'dark-mode',
    enabled: false,
    environment_id: staging,
  });
  const after = await versions();
  for (const id of Object.keys(before)) expect(after[id]).toBe(before[id]! + 1);
});

test('a key can be used once per project', async () => {
  const { id: owner } = await api.flags.create(booleanFlag('only-once'));
  const createAgain = () => refused(api.in(staging).flags.create(booleanFlag('only-once')));
  expect(await createAgain()).toMatchObject({
    code: 'FLAG_KEY_CONFLICT',
    message: 'A flag with this key already exists in the project.',
    details: { key: 'only-once', flag_id: owner },
  });
  // Lists leave out archived flags, so the refusal has to name the archived flag that has the key.
  await api.flags.archive(owner);
  expect(await createAgain()).toMatchObject({
    code: 'FLAG_KEY_CONFLICT',
    message: 'An archived flag has this key. Restore it, or delete it permanently.',
    details: { key: 'only-once', reason: 'archived', flag_id: owner },
  });

  const project = await api.projects.create({ key: 'other', name: 'Other' });
  const flag = await api.in(project.default_environment_id!).flags.create(booleanFlag('only-once'));
  // The same organization, but the flag is not in that environment's project.
  expect(await codeOf(api.flags.get(flag.id))).toBe('FLAG_NOT_FOUND');
});

test('an update replaces only the given fields', async () => {
  const { id } = await api.flags.create(booleanFlag('partial', { tags: ['keep'], description: 'keep' }));
  const { body, headers } = await api.flags.update(id, { name: 'Renamed' }).answer;
  expect(body.data).toMatchObject({
    name: 'Renamed',
    description: 'keep',
    tags: ['keep'],
    default_variation: 'off',
    targeting_rules: [],
    revision: 2,
  });
  expect(headers.etag).toBe('"2"');
  expect(await api.flags.get(id)).toEqual(body.data);
});

test('rules are sorted by priority and keep their ids; new rules get new ones', async () => {
  const { id } = await api.flags.create(booleanFlag('rules'));
  const rule = (priority: number, name: string, more: object = {}) => ({
    priority,
    name,
    conditions: [],
    variation: 'on',
    ...more,
  });
  const first = await api.flags.update(id, { targeting_rules: [rule(20, 'late'), rule(10, 'early')] }).answer;
  const [early, late] = first.body.data.targeting_rules;
  expect([early!.name, late!.name]).toEqual(['early', 'late']);
  expect(early!.id).toMatch(/^rule_[0-9A-Z]{26}$/);

  const second = await api.flags.update(id, {
    targeting_rules: [
      rule(5, 'new', {
        variation: undefined,
        percentage_rollout: [{ variation: 'on', percentage: 30 }],
        bucketing: 2,
      }),
      { ...late!, priority: 1 },
      rule(5, 'forged', { id: 'rule_FORGED' }),
      rule(5, 'copied', { id: late!.id }),
    ],
  }).answer;
  const rules = second.body.data.targeting_rules;
  expect(rules.map(({ name }) => name)).toEqual(['late', 'new', 'forged', 'copied']);
  expect(rules[0]?.id).toBe(late!.id);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(4);
  expect(rules.map(({ id }) => id)).not.toContain('rule_FORGED');
  expect(rules[1]).toMatchObject({ percentage_rollout: [{ variation: 'on', percentage: 30 }], bucketing: 2 });
  expect(rules[1]).not.toHaveProperty('variation');

  const warningCodes = ({ body }: typeof first) => body.warnings.map(({ code }) => code);
  // No rule has conditions, so the first one hides the others.
  expect(warningCodes(first)).toEqual(['rule-unreachable']);
  expect(warningCodes(second)).toEqual([...Array(3).fill('rule-unreachable'), 'equal-priorities']);
  expect(second.headers['x-flagsvc-warnings']).toMatch(/^rule-unreachable=rule_\w+, .*, equal-priorities$/);
});

test('a rollout that names a variation twice is accepted with a warning', async () => {
  const { id } = await api.flags.create(booleanFlag('repeating'));
  const percentage_rollout = [
    { variation: 'on', percentage: 10 },
    { variation: 'off', percentage: 20 },
    { variation: 'on', percentage: 5 },
  ];
  const targeting_rules = [{ priority: 1, conditions: [], percentage_rollout }];
  const { status, headers } = await api.flags.update(id, { targeting_rules }).answer;
  expect([status, headers['x-flagsvc-warnings']]).toEqual([200, 'repeated-variation']);
});

test('the rules, the switch and the default belong to one environment; the name is shared by all', async () => {
  const { id } = await api.flags.create(booleanFlag('per-environment'));
  await api.in(staging).flags.update(id, { name: 'Shared', default_variation: 'on' });
  expect(await api.flags.get(id)).toMatchObject({ name: 'Shared', default_variation: 'off' });
  await api.in(staging).flags.toggle(id, true);
  expect((await api.flags.get(id)).enabled).toBe(false);
});

test('an update ignores the key, the type and unknown fields, and names them in a header', async () => {
  const { id } = await api.flags.create(booleanFlag('immutable'));
  const put = (body: object, headers = {}) =>
    api.raw({ method: 'PUT', url: `/flags/${id}?environment_id=${production}`, body, headers });
  const { body, headers } = await put({ key: 'mutable', flag_type: 'json', colour: 'red' });
  expect(body.data).toMatchObject({ key: 'immutable', flag_type: 'boolean' });
  expect(headers['x-flagsvc-ignored-fields']).toBe('key, flag_type, colour');
  const strict = await put({ colour: 'red' }, { prefer: 'handling=strict' });
  expect(strict.body.error.details.fields).toEqual([
    { field: 'colour', location: 'body', code: 'unknown', message: expect.any(String) },
  ]);
});

test('a toggle changes only the switch', async () => {
  const { id } = await api.flags.create(booleanFlag('switch'));
  await api.flags.update(id, {
    targeting_rules: [{ priority: 1, name: 'all', conditions: [], variation: 'on' }],
  });
  const before = await api.flags.get(id);
  const toggled = await api.flags.toggle(id, true);
  expect(toggled).toEqual({ id, enabled: true, updated_at: TIME });
  expect(await api.flags.get(id)).toEqual({
    ...before,
    enabled: true,
    revision: before.revision + 1,
    updated_at: toggled.updated_at,
  });
});

test.each([null, 0, 1, 'false', 'true', [], {}])('%j is refused as a boolean', async (enabled) => {
  const [flag] = await api.flags.list({ search: 'switch' });
  const url = `/flags/${flag!.id}/toggle?environment_id=${production}`;
  const { status, body } = await api.raw({ method: 'POST', url, body: { enabled } });
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.details.fields[0]).toMatchObject({ field: 'enabled', location: 'body', code: 'type' });
});

test('an archived flag stays readable, is listed only on request, and keeps its key reserved', async () => {
  const { id } = await api.flags.create(booleanFlag('old'));
  await api.flags.toggle(id, true);
  expect(await api.flags.archive(id)).toBeNull();
  expect((await api.flags.get(id)).status).toBe('archived');
  expect(await api.flags.list({ search: 'old' })).toEqual([]);
  expect(await api.flags.list({ search: 'old', status: 'archived' })).toHaveLength(1);
  expect(await refused(api.flags.update(id, { name: 'x' }))).toMatchObject({
    code: 'FLAG_ARCHIVED',
    message: expect.stringMatching(/flag_id\}\/restore/),
  });
  expect(await codeOf(api.flags.toggle(id, false))).toBe('OK');
  expect(await codeOf(api.flags.create(booleanFlag('old')))).toBe('FLAG_KEY_CONFLICT');

  const before = await api.flags.history(id);
  expect(await codeOf(api.flags.archive(id))).toBe('OK');
  expect(await api.flags.history(id)).toEqual(before);
});

test('requests get 404 for an unknown flag or environment, and 400 without an environment', async () => {
  const { id } = await api.flags.create(booleanFlag('here'));
  expect(await codeOf(api.flags.get('flg_unknown'))).toBe('FLAG_NOT_FOUND');
  expect(await codeOf(api.in('env_unknown').flags.get(id))).toBe('ENVIRONMENT_NOT_FOUND');
  // This client has no environment, so its requests name none.
  const { flags } = createApi({ transport: server.call, token: server.tokens.editor });
  const calls = [
    flags.list(),
    flags.create(booleanFlag('x')),
    flags.get(id),
    flags.update(id, { name: 'x' }),
    flags.archive(id),
    flags.toggle(id, true),
    flags.history(id),
  ];
  for (const { code, details } of await Promise.all(calls.map(refused))) {
    expect([code, details.fields]).toEqual([
      'VALIDATION_ERROR',
      [{ field: 'environment_id', location: 'query', code: 'required', message: 'is required' }],
    ]);
  }
});

test('the history of an environment has the newest change first, with actor and changes', async () => {
  const { id } = await api.flags.create(booleanFlag('storied'));
  await api.flags.toggle(id, true);
  const rules = [{ priority: 1, name: 'all', conditions: [], variation: 'on' }];
  const updated = await api.in(staging).flags.update(id, { targeting_rules: rules });
  await api.flags.update(id, { name: 'Renamed' });

  const { body: history } = await api.flags.history(id).answer;
  expect(history.meta).toEqual({ page: 1, per_page: 50, total: 3 });
  expect(history.data.map(({ action }) => action)).toEqual(['flag.updated', 'flag.toggled', 'flag.created']);
  expect(history.data[1]).toEqual({
    id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
    action: 'flag.toggled',
    actor: { id: expect.stringMatching(/^usr_/), email: 'editor@example.com', name: null, kind: 'user' },
    changes: { enabled: { from: false, to: true } },
    timestamp: TIME,
  });
  expect(history.data[0]!.changes).toEqual({ name: { from: 'Flag storied', to: 'Renamed' } });

  const elsewhere = await api.in(staging).flags.history(id);
  expect(elsewhere.map(({ changes }) => Object.keys(changes))).toEqual([
    ['name'],
    ['targeting_rules'],
    expect.arrayContaining(['key', 'enabled', 'variations']),
  ]);
  expect(elsewhere[1]!.changes['targeting_rules']).toEqual({ from: [], to: updated.targeting_rules });
});

test('a change without effect writes no audit entry and no new version', async () => {
  const { id, revision } = await api.flags.create(booleanFlag('still'));
  const before = await versions();
  await api.flags.toggle(id, false);
  expect((await api.flags.update(id, { name: 'Flag still' })).revision).toBe(revision);
  expect(await versions()).toEqual(before);
  expect((await api.flags.history(id)).map(({ action }) => action)).toEqual(['flag.created']);
});

test('only the environments whose ruleset changes get a new version', async () => {
  const { id } = await api.flags.create(booleanFlag('versions'));
  const raised = async (change: () => Promise<unknown>) => {
    const before = await versions();
    await change();
    const after = await versions();
    return Object.entries(server.environments)
      .filter(([, environment]) => after[environment] !== before[environment])
      .map(([key]) => key);
  };
  expect(await raised(() => api.flags.toggle(id, true))).toEqual(['production']);
  expect(await raised(() => api.flags.update(id, { name: 'No version', tags: ['x'] }))).toEqual([]);
  expect(await raised(() => api.flags.update(id, { client_side: true }))).toEqual([
    'development',
    'staging',
    'production',
  ]);
  const inStaging = () => api.in(staging).flags.update(id, { default_variation: 'on' });
  expect(await raised(inStaging)).toEqual(['staging']);
});

test('only one of two editors who send the same revision succeeds', async () => {
  const { id } = await api.flags.create(booleanFlag('contested'));
  const answers = await Promise.all([
    api.flags.update(id, { name: 'Mine' }, { ifMatch: 1 }).answer,
    api.flags.update(id, { name: 'Yours' }, { ifMatch: 1 }).answer,
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect(answers.find(({ status }) => status === 412)?.body).toMatchObject({
    error: { code: 'PRECONDITION_FAILED', details: { current_revision: 2 } },
  });
  // A change in another environment does not raise the revision in this one.
  await api.in(staging).flags.toggle(id, true);
  expect(await codeOf(api.flags.update(id, { name: 'Next' }, { ifMatch: 'W/"2"' }))).toBe('OK');
});

test('a repeated Idempotency-Key acts once, and its answer is replayed', async () => {
  const create = (key: string) => api.flags.create(booleanFlag(key), { idempotencyKey: 'create-1' });
  const [first, second] = await Promise.all([create('idempotent').answer, create('idempotent').answer]);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  const replayed = [first, second].map(({ headers }) => headers['idempotency-replayed'] ?? 'first');
  expect(replayed.sort()).toEqual(['first', 'true']);
  expect(await codeOf(create('idempotent-2'))).toBe('IDEMPOTENCY_KEY_REUSED');
});
