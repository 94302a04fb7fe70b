import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import type { ProjectDocument } from './document.ts';

let server: TestServer;
let project: string;
let production: string;
beforeAll(async () => {
  server = await startServer();
  project = server.projectId;
  production = server.environments.production;
  await send('POST', `/projects/${project}/segments`, {
    key: 'staff',
    conditions: [{ attribute: 'email', operator: 'contains', value: '@example.com' }],
    tags: ['people'],
  });
  await send('POST', `/flags?environment_id=${production}`, booleanFlag('base', { tags: ['t'] }));
  const made = await send('POST', `/flags?environment_id=${production}`, {
    key: 'colour',
    name: 'Colour',
    description: 'Of the button',
    flag_type: 'string',
    variations: [
      { key: 'red', name: 'Red', value: 'yes' },
      { key: 'blue', name: 'Blue', value: '0123' },
    ],
    default_variation: 'red',
    classification: 'experiment',
    expected_end_at: '2027-01-01T00:00:00.000Z',
  });
  await send('PUT', `/flags/${made.body.data.id}?environment_id=${production}`, {
    targeting_rules: [
      {
        priority: 1,
        name: 'staff',
        conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
        variation: 'blue',
      },
      { priority: 2, name: '', conditions: [], percentage_rollout: [{ variation: 'blue', percentage: 20 }] },
    ],
    prerequisites: [{ flag_key: 'base', variation: 'on' }],
  });
  await send('POST', `/flags/${made.body.data.id}/toggle?environment_id=${production}`, { enabled: true });
});
afterAll(() => server.close());

const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object, headers = {}) =>
  server.call({ method, url, token: server.tokens.admin, body, headers });
const read = async (url: string) => (await server.call({ url, token: server.tokens.viewer })).body;
const exported = async (id = project, query = ''): Promise<ProjectDocument> =>
  read(`/projects/${id}/export${query}`);

async function newProject(key: string): Promise<{ id: string; default_environment_id: string }> {
  return (await send('POST', '/projects', { key, name: key })).body.data;
}

const plan = (id: string, document: unknown, more: object = {}) =>
  send('POST', `/projects/${id}/imports`, { document, ...more });

async function run(id: string, document: unknown, more: object = {}) {
  const planned = await plan(id, document, more);
  expect(planned.status).toBe(201);
  const applied = await send('POST', `/imports/${planned.body.data.id}/apply`, {}, { prefer: 'wait=20' });
  expect(applied.status).toBe(202);
  return { planned: planned.body.data, applied: applied.body.data };
}

const flag = (key: string, more: object = {}) => ({
  key,
  flag_type: 'boolean',
  variations: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  default_variation: 'off',
  ...more,
});
const documentOf = (flags: object[], more: object = {}) => ({
  apiVersion: 'flagsvc/v1',
  kind: 'Project',
  flags,
  ...more,
});

test('writes a project without ids, everything by key in a fixed order', async () => {
  const document = await exported();
  expect(JSON.stringify(document)).not.toMatch(/(flg|seg|env|rule|prj|usr)_[0-9A-Z]{26}/);
  expect(Object.keys(document)).toEqual([
    'apiVersion',
    'kind',
    'key',
    'name',
    'environments',
    'segments',
    'flags',
  ]);
  expect(document.environments?.map((one) => one.key)).toEqual(['development', 'staging', 'production']);
  expect(document.flags?.map((one) => one.key)).toEqual(['base', 'colour']);
  expect(document.flags?.[1]).toEqual({
    key: 'colour',
    name: 'Colour',
    description: 'Of the button',
    flag_type: 'string',
    variations: [
      { key: 'red', name: 'Red', value: 'yes' },
      { key: 'blue', name: 'Blue', value: '0123' },
    ],
    default_variation: 'red',
    classification: 'experiment',
    expected_end_at: '2027-01-01T00:00:00.000Z',
    environments: {
      development: { enabled: false },
      staging: { enabled: false },
      production: {
        enabled: true,
        targeting_rules: [
          {
            priority: 1,
            name: 'staff',
            conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
            variation: 'blue',
          },
          { priority: 2, conditions: [], percentage_rollout: [{ variation: 'blue', percentage: 20 }] },
        ],
        prerequisites: [{ flag_key: 'base', variation: 'on' }],
      },
    },
  });
  expect(await exported()).toEqual(document);
  const part = await exported(project, '?include=flags&environment_keys=staging');
  expect(Object.keys(part)).toEqual(['apiVersion', 'kind', 'key', 'name', 'flags']);
  expect(part.flags?.[0]?.environments).toEqual({ staging: { enabled: false } });
});

test('writes down who took a project along, in which form, and of which environments', async () => {
  const take = async (query: string, token = server.tokens.viewer) => {
    const url = `/api/v1/projects/${project}/export?${query}`;
    return (await server.app.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode;
  };
  const { viewer } = server.tokens;
  const asked = { name: 'backup', scopes: ['read'] };
  const made = await server.call({ method: 'POST', url: '/auth/tokens', token: viewer, body: asked });
  const { token } = made.body.data;
  const entries = async (): Promise<{ id: string }[]> =>
    (await read(`/audit-log?action=export.created&project_id=${project}`)).data;
  const known = (await entries()).length;
  expect(await take('format=yaml&include=flags', token)).toBe(200);
  expect(await take('format=flagd&environment_keys=staging')).toBe(200);
  for (const refused of ['format=flagd', 'environment_keys=unknown', 'include=unknown', 'format=unknown']) {
    expect(await take(refused)).toBeGreaterThanOrEqual(400);
  }
  await read(`/projects/${project}`);
  const to = (value: unknown) => ({ from: null, to: value });
  const common = {
    actor: { email: 'viewer@example.com', kind: 'user' },
    resource: { type: 'project', id: project, key: 'default' },
    project_id: project,
  };
  expect((await entries()).slice(0, -known || undefined)).toMatchObject([
    { ...common, changes: { format: to('flagd'), environment_keys: to(['staging']) } },
    {
      ...common,
      changes: {
        format: to('yaml'),
        environment_keys: to(['development', 'staging', 'production']),
        include: to(['flags']),
      },
    },
  ]);
});

test('writes the same as YAML, which reads back as the same', async () => {
  const answer = await server.app.inject({
    url: `/api/v1/projects/${project}/export?format=yaml`,
    headers: { authorization: `Bearer ${server.tokens.viewer}` },
  });
  expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
  expect(load(answer.body)).toEqual(await exported());
  // Texts that look like something else stay texts.
  expect(answer.body).toMatch(/value: ['"]yes['"]|value: yes/);
  expect(answer.body).toMatch(/value: ['"]0123['"]/);
});

test('makes an equal project of a document, and finds nothing to do the second time', async () => {
  const { id } = await newProject('copy');
  const document = await exported();
  const { planned, applied } = await run(id, document);
  expect(planned).toMatchObject({
    status: 'planned',
    plan: {
      create: { environments: [], segments: ['staff'], flags: ['base', 'colour'] },
      update: { environments: [], segments: [], flags: [] },
      errors: [],
    },
  });
  expect(applied).toMatchObject({ status: 'applied', error: null, finished_at: expect.any(String) });
  const { key: _key, name: _name, ...copied } = await exported(id);
  const { key: _k, name: _n, ...original } = document;
  expect(copied).toEqual(original);
  const again = await plan(id, document);
  expect(again.body.data.plan).toMatchObject({
    create: { flags: [], segments: [] },
    update: { flags: [], segments: [] },
    unchanged: 3,
  });
});

test('takes JSON and YAML as text', async () => {
  const { id } = await newProject('texts');
  const yaml = `apiVersion: flagsvc/v1
kind: Project
flags:
- key: from-yaml
  flag_type: number
  variations: [{ key: small, value: 1 }, { key: big, value: 2.5 }]
  default_variation: small
`;
  expect((await run(id, yaml)).applied.status).toBe('applied');
  expect((await run(id, JSON.stringify(documentOf([flag('from-json')])))).applied.status).toBe('applied');
  expect((await exported(id)).flags?.map((one) => one.key)).toEqual(['from-json', 'from-yaml']);
});

test('creates environments and fills them, in one version of each ruleset', async () => {
  const { id, default_environment_id } = await newProject('wider');
  const version = async () =>
    (await read(`/environments/${default_environment_id}`)).data.ruleset_version as number;
  const before = await version();
  const { planned } = await run(
    id,
    documentOf([flag('a', { environments: { qa: { enabled: true }, staging: {} } }), flag('b')], {
      environments: [{ key: 'qa', name: 'QA', type: 'staging' }],
    }),
  );
  expect(planned.plan.create.environments).toEqual(['qa']);
  const { flags } = await exported(id);
  expect(flags?.[0]?.environments).toMatchObject({ qa: { enabled: true }, staging: { enabled: false } });
  expect(await version()).toBe(before + 1);
});

test('takes no number that is none, which YAML can say', async () => {
  const { id } = await newProject('endless');
  const variations = [{ key: 'off', value: 4711 }];
  const document = JSON.stringify(documentOf([flag('endless', { flag_type: 'number', variations })]));
  const { body } = await plan(id, document.replace('4711', '.inf'));
  expect(body.data.plan.errors).toMatchObject([
    { path: 'flags.0.variations.0.value', code: 'VARIATION_VALUE_TYPE_MISMATCH' },
  ]);
});

test('carries what is asked of an environment', async () => {
  const { id } = await newProject('careful');
  const asked = { critical: false, require_comment: true, confirm_changes: true, record_contexts: true };
  const environment = { key: 'qa', name: 'QA', type: 'staging' as const, color: '#123456', position: 7 };
  await run(id, documentOf([], { environments: [{ ...environment, ...asked }] }));
  const { environments } = await exported(id, '?environment_keys=qa');
  expect(environments).toEqual([{ ...environment, ...asked }]);
  const quiet = { ...environment, key: 'live', type: 'production' as const, critical: true };
  for (const confirm_changes of [true, false]) {
    const key = `live-${confirm_changes}`;
    await run(id, documentOf([], { environments: [{ ...quiet, key, confirm_changes }] }));
    const { environments: again } = await exported(id, `?environment_keys=${key}`);
    const { id: other } = await newProject(`again-${confirm_changes}`);
    await run(other, documentOf([], { environments: [...(again ?? [])] }));
    expect((await exported(other, `?environment_keys=${key}`)).environments).toEqual(again);
    const { data } = await read(`/projects/${other}/environments`);
    const made = data.find((one: { key: string }) => one.key === key);
    expect(made.confirm_changes).toBe(confirm_changes);
  }
  const plain = await exported(id, '?environment_keys=staging');
  expect(plain.environments?.[0]).not.toHaveProperty('record_contexts');
});

test('states a named flag as a whole, and leaves environments and flags that are not named', async () => {
  const { id } = await newProject('merge');
  const all = { enabled: true };
  const environments = { development: all, staging: all, production: all };
  await run(id, documentOf([flag('kept', { environments }), flag('changed', { tags: ['x'], environments })]));
  const { planned } = await run(id, documentOf([flag('changed', { environments: { staging: {} } })]));
  expect(planned.plan.update.flags).toEqual(['changed']);
  const { flags } = await exported(id);
  expect(flags?.find((one) => one.key === 'changed')).toEqual(
    flag('changed', {
      variations: [
        { key: 'on', name: 'on', value: true },
        { key: 'off', name: 'off', value: false },
      ],
      environments: { development: all, staging: { enabled: false }, production: all },
    }),
  );
  expect(flags?.find((one) => one.key === 'kept')?.environments).toEqual(environments);
});

test('archives by replace what is not named, and leaves alone by create_only what is there', async () => {
  const { id } = await newProject('modes');
  await run(id, documentOf([flag('one'), flag('two')]));
  const only = await run(id, documentOf([flag('one', { name: 'Other' }), flag('three')]), {
    mode: 'create_only',
  });
  expect(only.planned.plan).toMatchObject({
    create: { flags: ['three'] },
    update: { flags: [] },
    unchanged: 1,
  });
  const replaced = await run(id, documentOf([flag('one')]), { mode: 'replace' });
  expect(replaced.planned.plan.archive.flags).toEqual(['three', 'two']);
  const statuses = async () =>
    Object.fromEntries((await exported(id)).flags!.map((one) => [one.key, one.status ?? 'active']));
  expect(await statuses()).toEqual({ one: 'active', two: 'archived', three: 'archived' });
  await run(id, documentOf([flag('two')]));
  expect(await statuses()).toEqual({ one: 'active', two: 'active', three: 'archived' });
});

test('keeps the ids of rules that it knows again', async () => {
  const { id, default_environment_id } = await newProject('rules');
  const rules = (second: object) => ({
    development: {
      targeting_rules: [
        { priority: 1, name: 'same', conditions: [], variation: 'on' },
        { priority: 2, name: 'named', conditions: [], variation: 'on', ...second },
      ],
    },
  });
  const ids = async () =>
    (await read(`/flags/by-key/r?environment_id=${default_environment_id}`)).data.targeting_rules.map(
      (one: { id: string }) => one.id,
    );
  await run(id, documentOf([flag('r', { environments: rules({}) })]));
  const before = await ids();
  await run(id, documentOf([flag('r', { environments: rules({ variation: 'off' }) })]));
  expect(await ids()).toEqual(before);
  const [first, ...rest] = before;
  await run(id, documentOf([flag('r', { environments: rules({ name: 'renamed' }) })]));
  const [kept, fresh] = await ids();
  expect(kept).toBe(first);
  expect(rest).not.toContain(fresh);
});

test('writes an entry for each flag, by the way of an import', async () => {
  const { id } = await newProject('audited');
  await run(id, documentOf([flag('seen')]));
  const rows = await server.db
    .selectFrom('audit_entries')
    .select(['action', 'via', 'resource_key'])
    .where('project_id', '=', id)
    .where('action', 'in', ['flag.created', 'import.planned', 'import.applied'])
    .orderBy('id')
    .execute();
  expect(rows).toEqual([
    { action: 'import.planned', via: 'api', resource_key: null },
    { action: 'flag.created', via: 'import', resource_key: 'seen' },
    { action: 'import.applied', via: 'import', resource_key: null },
  ]);
});

test('names every fault with its place, and applies none of it', async () => {
  const { id } = await newProject('faulty');
  const { status, body } = await plan(
    id,
    documentOf([
      flag('fine'),
      flag('no-default', { default_variation: 'third' }),
      flag('bad-rule', {
        environments: { production: { targeting_rules: [{ priority: 1, conditions: [], variation: 'x' }] } },
      }),
      flag('no-environment', { environments: { moon: {} } }),
      flag('waits', {
        environments: { production: { prerequisites: [{ flag_key: 'nobody', variation: 'on' }] } },
      }),
      flag('round', {
        environments: { production: { prerequisites: [{ flag_key: 'about', variation: 'on' }] } },
      }),
      flag('about', {
        environments: { production: { prerequisites: [{ flag_key: 'round', variation: 'on' }] } },
      }),
    ]),
  );
  expect(status).toBe(201);
  const errors = body.data.plan.errors.map((one: { key: string; path: string; code: string }) => [
    one.path,
    one.code,
  ]);
  expect(errors).toEqual([
    ['flags.1.default_variation', 'DEFAULT_VARIATION_UNKNOWN'],
    ['flags.2.environments.production.targeting_rules.0.variation', 'RULE_VARIATION_UNKNOWN'],
    ['flags.3.environments.moon', 'ENVIRONMENT_NOT_FOUND'],
    ['flags', 'PREREQUISITE_UNKNOWN'],
    ['flags', 'PREREQUISITE_CYCLE'],
  ]);
  const refused = await send('POST', `/imports/${body.data.id}/apply`, {});
  expect([refused.status, refused.body.error.code]).toEqual([422, 'IMPORT_INVALID']);
  expect((await exported(id)).flags).toEqual([]);
});

test.each([
  ['no document', '[1, 2', 'syntax'],
  ['another version', { apiVersion: 'flagsvc/v9', kind: 'Project' }, 'const'],
  ['a field that is none', documentOf([], { flagz: [] }), 'unknown'],
  ['a flag that is none', documentOf([{ key: 'x' }]), 'required'],
  ['a key twice', documentOf([flag('x'), flag('x')]), 'duplicate'],
  ['anchors', 'apiVersion: flagsvc/v1\nkind: Project\na: &a [1]\nb: [*a, *a]\n', 'alias'],
  ['depth', JSON.stringify(documentOf([])).replace('[]', '['.repeat(50) + ']'.repeat(50)), 'maxDepth'],
  ['a list', '- 1\n- 2\n', 'type'],
])('refuses %s with the reason', async (_name, document, code) => {
  const { status, body } = await plan(project, document);
  expect([status, body.error.code]).toEqual([422, 'IMPORT_INVALID']);
  expect(body.error.details.errors.map((one: { code: string }) => one.code)).toContain(code);
});

test('refuses a plan that the project has left behind, and one that was applied', async () => {
  const { id, default_environment_id } = await newProject('stale');
  const first = await plan(id, documentOf([flag('a')]));
  await send('POST', `/flags?environment_id=${default_environment_id}`, booleanFlag('meanwhile'));
  const stale = await send('POST', `/imports/${first.body.data.id}/apply`, {});
  expect([stale.status, stale.body.error.code]).toEqual([409, 'PLAN_STALE']);
  const { planned } = await run(id, documentOf([flag('a')]));
  const twice = await send('POST', `/imports/${planned.id}/apply`, {});
  expect([twice.status, twice.body.error.code]).toEqual([409, 'IMPORT_STATE_CONFLICT']);
  expect((await read('/imports/imp_x')).error.code).toBe('IMPORT_NOT_FOUND');
});

test('refuses a plan when a flag has gone since and another one come, by a clock that was set back', async () => {
  const { id, default_environment_id } = await newProject('set-back');
  const create = async (key: string) =>
    (await send('POST', `/flags?environment_id=${default_environment_id}`, booleanFlag(key))).body.data.id;
  const gone = await create('gone');
  await send('DELETE', `/flags/${gone}?environment_id=${default_environment_id}`);
  await create('newest');
  const { body } = await plan(id, documentOf([flag('a')]));
  server.advance(-60_000);
  await send('DELETE', `/flags/${gone}/permanent?confirm_key=gone`);
  const come = await create('come');
  await send('PUT', `/flags/${come}?environment_id=${default_environment_id}`, { name: 'As often changed' });
  server.advance(60_000);
  expect((await exported(id)).flags!.map(({ key }) => key)).toEqual(['come', 'newest']);
  const stale = await send('POST', `/imports/${body.data.id}/apply`, {});
  expect([stale.status, stale.body.error?.code]).toEqual([409, 'PLAN_STALE']);
});

const freezeOf = (environmentId: string) =>
  send('POST', '/freeze-windows', {
    name: 'No imports',
    reason: 'peak trade',
    scope: { environment_ids: [environmentId] },
    starts_at: '2026-11-20T00:00:00.000Z',
    ends_at: '2026-11-30T00:00:00.000Z',
  });

test('is refused by a freeze window, and stays planned', async () => {
  const { id, default_environment_id } = await newProject('frozen');
  const planned = await plan(id, documentOf([flag('a'), flag('b')]));
  const freeze = await freezeOf(default_environment_id);
  const apply = () => send('POST', `/imports/${planned.body.data.id}/apply`, {}, { prefer: 'wait=10' });
  const blocked = await apply();
  expect([blocked.status, blocked.body.error.code]).toEqual([409, 'FREEZE_WINDOW_ACTIVE']);
  expect((await exported(id)).flags).toEqual([]);
  expect((await read(`/imports/${planned.body.data.id}`)).data.status).toBe('planned');
  await send('POST', `/freeze-windows/${freeze.body.data.id}/end`, { comment: 'over' });
  expect((await apply()).body.data).toMatchObject({ status: 'applied', error: null });
});

test('fails as a whole when a later change is refused, and may be tried again', async () => {
  const { id } = await newProject('half-frozen');
  await run(id, documentOf([flag('a'), flag('b')]));
  const environments = (await read(`/projects/${id}/environments`)).data as { id: string; key: string }[];
  const on = (key: string) => ({ environments: { [key]: { enabled: true } } });
  const planned = await plan(id, documentOf([flag('a', on('staging')), flag('b', on('production'))]));
  const freeze = await freezeOf(environments.find((one) => one.key === 'production')!.id);
  const before = await exported(id);
  const apply = () => send('POST', `/imports/${planned.body.data.id}/apply`, {}, { prefer: 'wait=10' });
  const failed = await apply();
  expect([failed.status, failed.body.data]).toMatchObject([
    202,
    { status: 'failed', error: { code: 'FREEZE_WINDOW_ACTIVE' } },
  ]);
  expect(await exported(id)).toEqual(before);
  await send('POST', `/freeze-windows/${freeze.body.data.id}/end`, { comment: 'over' });
  expect((await apply()).body.data).toMatchObject({ status: 'applied', error: null });
});

test('tells in a dry run each change that applying would make', async () => {
  const { id } = await newProject('tried');
  const planned = await plan(id, documentOf([flag('a'), flag('b')]));
  const tried = await send('POST', `/imports/${planned.body.data.id}/apply?dry_run=true`, {});
  expect(tried.status).toBe(200);
  expect(tried.body.data.plan.map((one: { action: string }) => one.action)).toEqual([
    'flag.created',
    'flag.created',
    'import.applied',
  ]);
  expect((await exported(id)).flags).toEqual([]);
  expect((await read(`/imports/${planned.body.data.id}`)).data.status).toBe('planned');
});

test('serves the schema of the format without credentials', async () => {
  const { status, body } = await server.call({ url: '/schemas/flagsvc-v1.json' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: ['apiVersion', 'kind'],
  });
});

test('takes several hundred flags at once', async () => {
  const { id } = await newProject('small-load');
  const flags = Array.from({ length: 300 }, (_, index) => flag(`load-${index}`));
  const { applied } = await run(id, documentOf(flags));
  expect(applied.status).toBe('applied');
  expect((await exported(id)).flags).toHaveLength(300);
});
