import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { createImports, documentOf, fillProject, type Imports } from '../../../../test/imports.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let imports: Imports;
let project: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('admin');
  imports = createImports(api);
  project = server.projectId;
  await fillProject(api, project);
});
afterAll(() => server.close());

test('an export names everything by key, without ids, in a fixed order', async () => {
  const document = await imports.exportProject(project);
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
    description: 'Button colour',
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
  expect(await imports.exportProject(project)).toEqual(document);
  const part = await imports.exportProject(project, '?include=flags&environment_keys=staging');
  expect(Object.keys(part)).toEqual(['apiVersion', 'kind', 'key', 'name', 'flags']);
  expect(part.flags?.[0]?.environments).toEqual({ staging: { enabled: false } });
});

test('the audit log records who exported a project, in which format and for which environments', async () => {
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

test('the YAML export is the same document as the JSON export', async () => {
  const answer = await server.app.inject({
    url: `/api/v1/projects/${project}/export?format=yaml`,
    headers: { authorization: `Bearer ${server.tokens.viewer}` },
  });
  expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
  expect(load(answer.body)).toEqual(await imports.exportProject(project));
  // Strings that look like other types stay strings.
  expect(answer.body).toMatch(/value: ['"]yes['"]|value: yes/);
  expect(answer.body).toMatch(/value: ['"]0123['"]/);
});

test('settings of environments are exported and imported', async () => {
  const { id } = await imports.newProject('careful');
  const settings = { critical: false, require_comment: true, confirm_changes: true, record_contexts: true };
  const environment = { key: 'qa', name: 'QA', type: 'staging' as const, color: '#123456', position: 7 };
  await imports.run(id, documentOf([], { environments: [{ ...environment, ...settings }] }));
  const { environments } = await imports.exportProject(id, '?environment_keys=qa');
  expect(environments).toEqual([{ ...environment, ...settings }]);
  const quiet = { ...environment, key: 'live', type: 'production' as const, critical: true };
  for (const confirm_changes of [true, false]) {
    const key = `live-${confirm_changes}`;
    await imports.run(id, documentOf([], { environments: [{ ...quiet, key, confirm_changes }] }));
    const { environments: again } = await imports.exportProject(id, `?environment_keys=${key}`);
    const { id: other } = await imports.newProject(`again-${confirm_changes}`);
    await imports.run(other, documentOf([], { environments: [...(again ?? [])] }));
    expect((await imports.exportProject(other, `?environment_keys=${key}`)).environments).toEqual(again);
    const created = (await api.environments.listOf(other)).find((environment) => environment.key === key);
    expect(created?.confirm_changes).toBe(confirm_changes);
  }
  const plain = await imports.exportProject(id, '?environment_keys=staging');
  expect(plain.environments?.[0]).not.toHaveProperty('record_contexts');
});

test('the schema of the format is public', async () => {
  const { status, body } = await server.anonymous.raw({ url: '/schemas/flagsvc-v1.json' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: ['apiVersion', 'kind'],
  });
});
