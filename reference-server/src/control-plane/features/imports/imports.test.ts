import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import type { ProjectDocument } from './document.ts';

type ImportBody = Body<'POST /projects/{project_id}/imports'>;

let server: TestServer;
let api: Api;
let project: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('admin');
  project = server.projectId;
  await api.segments.create(project, {
    key: 'staff',
    conditions: [{ attribute: 'email', operator: 'contains', value: '@example.com' }],
    tags: ['people'],
  });
  await api.flags.create(booleanFlag('base', { tags: ['t'] }));
  const colour = await api.flags.create({
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
  await api.flags.update(colour.id, {
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
  await api.flags.toggle(colour.id, true);
});
afterAll(() => server.close());

const exported = async (id = project, query = ''): Promise<ProjectDocument> =>
  (await api.raw({ url: `/projects/${id}/export${query}` })).body;

const newProject = async (key: string) => {
  const { id, default_environment_id } = await api.projects.create({ key, name: key });
  return { id, default_environment_id: default_environment_id! };
};

const plan = (id: string, document: ImportBody['document'], more: Partial<ImportBody> = {}) =>
  api.imports.create(id, { document, ...more });
/** Applies an import and waits for its end. */
const apply = (importId: string) => api.imports.apply(importId, {}, { headers: { prefer: 'wait=20' } });

async function run(id: string, document: ImportBody['document'], more: Partial<ImportBody> = {}) {
  const planned = await plan(id, document, more);
  return { planned, applied: await apply(planned.id) };
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

test('exports a project by keys, without ids, in a fixed order', async () => {
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

test('audits who exported a project, in which format and for which environments', async () => {
  const viewer = server.as('viewer');
  const { token } = await viewer.personalTokens.create({ name: 'backup', scopes: ['read'] });
  const statusOf = async (query: string, by = server.tokens.viewer) => {
    const url = `/api/v1/projects/${project}/export?${query}`;
    return (await server.app.inject({ url, headers: { authorization: `Bearer ${by}` } })).statusCode;
  };
  const entries = () => viewer.audit.list({ action: 'export.created', project_id: project });
  const known = (await entries()).length;
  expect(await statusOf('format=yaml&include=flags', token!)).toBe(200);
  expect(await statusOf('format=flagd&environment_keys=staging')).toBe(200);
  for (const query of ['format=flagd', 'environment_keys=unknown', 'include=unknown', 'format=unknown'])
    expect(await statusOf(query)).toBeGreaterThanOrEqual(400);
  await viewer.projects.get(project);
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

test('exports the same document as YAML', async () => {
  const answer = await server.app.inject({
    url: `/api/v1/projects/${project}/export?format=yaml`,
    headers: { authorization: `Bearer ${server.tokens.viewer}` },
  });
  expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
  expect(load(answer.body)).toEqual(await exported());
  // Strings that look like other types stay strings.
  expect(answer.body).toMatch(/value: ['"]yes['"]|value: yes/);
  expect(answer.body).toMatch(/value: ['"]0123['"]/);
});

test('imports an equal project, and finds nothing to change the second time', async () => {
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
  expect(again.plan).toMatchObject({
    create: { flags: [], segments: [] },
    update: { flags: [], segments: [] },
    unchanged: 3,
  });
});

test('accepts JSON and YAML as text', async () => {
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

test('creates environments with their flags in one version of each ruleset', async () => {
  const { id, default_environment_id } = await newProject('wider');
  const version = async () => (await api.environments.get(default_environment_id)).ruleset_version;
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

test('refuses an infinite number, which YAML can express', async () => {
  const { id } = await newProject('endless');
  const variations = [{ key: 'off', value: 4711 }];
  const document = JSON.stringify(documentOf([flag('endless', { flag_type: 'number', variations })]));
  const planned = await plan(id, document.replace('4711', '.inf'));
  expect(planned.plan.errors).toMatchObject([
    { path: 'flags.0.variations.0.value', code: 'VARIATION_VALUE_TYPE_MISMATCH' },
  ]);
});

test('exports and imports the settings of environments', async () => {
  const { id } = await newProject('careful');
  const settings = { critical: false, require_comment: true, confirm_changes: true, record_contexts: true };
  const environment = { key: 'qa', name: 'QA', type: 'staging' as const, color: '#123456', position: 7 };
  await run(id, documentOf([], { environments: [{ ...environment, ...settings }] }));
  const { environments } = await exported(id, '?environment_keys=qa');
  expect(environments).toEqual([{ ...environment, ...settings }]);
  const quiet = { ...environment, key: 'live', type: 'production' as const, critical: true };
  for (const confirm_changes of [true, false]) {
    const key = `live-${confirm_changes}`;
    await run(id, documentOf([], { environments: [{ ...quiet, key, confirm_changes }] }));
    const { environments: again } = await exported(id, `?environment_keys=${key}`);
    const { id: other } = await newProject(`again-${confirm_changes}`);
    await run(other, documentOf([], { environments: [...(again ?? [])] }));
    expect((await exported(other, `?environment_keys=${key}`)).environments).toEqual(again);
    const created = (await api.environments.listOf(other)).find((environment) => environment.key === key);
    expect(created?.confirm_changes).toBe(confirm_changes);
  }
  const plain = await exported(id, '?environment_keys=staging');
  expect(plain.environments?.[0]).not.toHaveProperty('record_contexts');
});

test('replaces a named flag as a whole, and leaves other flags and environments', async () => {
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

test('archives unnamed flags by replace, and leaves existing flags by create_only', async () => {
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

test('keeps the ids of rules with the same content or name', async () => {
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
    (await api.in(default_environment_id).flags.getByKey('r')).targeting_rules.map((rule) => rule.id);
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

test('audits each flag with the import as its way', async () => {
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

test('lists every fault with its place, and applies nothing', async () => {
  const { id } = await newProject('faulty');
  const planned = await plan(
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
  expect(planned.plan.errors.map(({ path, code }) => [path, code])).toEqual([
    ['flags.1.default_variation', 'DEFAULT_VARIATION_UNKNOWN'],
    ['flags.2.environments.production.targeting_rules.0.variation', 'RULE_VARIATION_UNKNOWN'],
    ['flags.3.environments.moon', 'ENVIRONMENT_NOT_FOUND'],
    ['flags', 'PREREQUISITE_UNKNOWN'],
    ['flags', 'PREREQUISITE_CYCLE'],
  ]);
  expect(await codeOf(apply(planned.id))).toBe('IMPORT_INVALID');
  expect((await exported(id)).flags).toEqual([]);
});

test.each([
  ['no document', '[1, 2', 'syntax'],
  ['another version', { apiVersion: 'flagsvc/v9', kind: 'Project' }, 'const'],
  ['an unknown field', documentOf([], { flagz: [] }), 'unknown'],
  ['an incomplete flag', documentOf([{ key: 'x' }]), 'required'],
  ['a key twice', documentOf([flag('x'), flag('x')]), 'duplicate'],
  ['anchors', 'apiVersion: flagsvc/v1\nkind: Project\na: &a [1]\nb: [*a, *a]\n', 'alias'],
  ['depth', JSON.stringify(documentOf([])).replace('[]', '['.repeat(50) + ']'.repeat(50)), 'maxDepth'],
  ['a list', '- 1\n- 2\n', 'type'],
])('refuses %s with the reason', async (_name, document, code) => {
  const refusal = await refused(api.unchecked.imports.create(project, { document }));
  expect(refusal.code).toBe('IMPORT_INVALID');
  expect(refusal.details.errors.map((fault: { code: string }) => fault.code)).toContain(code);
});

test('refuses a plan when the project has changed since, and one that was applied', async () => {
  const { id, default_environment_id } = await newProject('stale');
  const first = await plan(id, documentOf([flag('a')]));
  await api.in(default_environment_id).flags.create(booleanFlag('meanwhile'));
  expect(await codeOf(apply(first.id))).toBe('PLAN_STALE');
  const { planned } = await run(id, documentOf([flag('a')]));
  expect(await codeOf(apply(planned.id))).toBe('IMPORT_STATE_CONFLICT');
  expect(await codeOf(api.imports.get('imp_x'))).toBe('IMPORT_NOT_FOUND');
});

test('refuses a plan when one flag was deleted and another created while the clock was set back', async () => {
  const { id, default_environment_id } = await newProject('set-back');
  const { flags } = api.in(default_environment_id);
  const gone = await flags.create(booleanFlag('gone'));
  await flags.archive(gone.id);
  await flags.create(booleanFlag('newest'));
  const planned = await plan(id, documentOf([flag('a')]));
  server.advance(-60_000);
  await flags.delete(gone.id, { confirm_key: 'gone' });
  const created = await flags.create(booleanFlag('come'));
  // The number of flags and the sum of their revisions are as before.
  await flags.update(created.id, { name: 'As often changed' });
  server.advance(60_000);
  expect((await exported(id)).flags!.map(({ key }) => key)).toEqual(['come', 'newest']);
  expect(await codeOf(apply(planned.id))).toBe('PLAN_STALE');
});

const freeze = (environmentId: string) =>
  api.freezeWindows.create({
    name: 'No imports',
    reason: 'peak trade',
    scope: { environment_ids: [environmentId] },
    starts_at: '2026-11-20T00:00:00.000Z',
    ends_at: '2026-11-30T00:00:00.000Z',
  });

test('is refused by a freeze window, and stays planned', async () => {
  const { id, default_environment_id } = await newProject('frozen');
  const planned = await plan(id, documentOf([flag('a'), flag('b')]));
  const window = await freeze(default_environment_id);
  expect(await codeOf(apply(planned.id))).toBe('FREEZE_WINDOW_ACTIVE');
  expect((await exported(id)).flags).toEqual([]);
  expect((await api.imports.get(planned.id)).status).toBe('planned');
  await api.freezeWindows.end(window.id, { comment: 'over' });
  expect(await apply(planned.id)).toMatchObject({ status: 'applied', error: null });
});

test('fails as a whole when a later change is refused, and can be repeated', async () => {
  const { id } = await newProject('half-frozen');
  await run(id, documentOf([flag('a'), flag('b')]));
  const environments = await api.environments.listOf(id);
  const on = (key: string) => ({ environments: { [key]: { enabled: true } } });
  const planned = await plan(id, documentOf([flag('a', on('staging')), flag('b', on('production'))]));
  const window = await freeze(environments.find(({ key }) => key === 'production')!.id);
  const before = await exported(id);
  expect(await apply(planned.id)).toMatchObject({
    status: 'failed',
    error: { code: 'FREEZE_WINDOW_ACTIVE' },
  });
  expect(await exported(id)).toEqual(before);
  await api.freezeWindows.end(window.id, { comment: 'over' });
  expect(await apply(planned.id)).toMatchObject({ status: 'applied', error: null });
});

test('plans each change in a dry run of applying', async () => {
  const { id } = await newProject('tried');
  const planned = await plan(id, documentOf([flag('a'), flag('b')]));
  const tried = await api.dryRun.imports.apply(planned.id, {});
  expect(tried.plan.map(({ action }) => action)).toEqual(['flag.created', 'flag.created', 'import.applied']);
  expect((await exported(id)).flags).toEqual([]);
  expect((await api.imports.get(planned.id)).status).toBe('planned');
});

test('serves the schema of the format without credentials', async () => {
  const { status, body } = await server.anonymous.raw({ url: '/schemas/flagsvc-v1.json' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: ['apiVersion', 'kind'],
  });
});

test('applies several hundred flags at once', async () => {
  const { id } = await newProject('small-load');
  const flags = Array.from({ length: 300 }, (_, index) => flag(`load-${index}`));
  const { applied } = await run(id, documentOf(flags));
  expect(applied.status).toBe('applied');
  expect((await exported(id)).flags).toHaveLength(300);
});
