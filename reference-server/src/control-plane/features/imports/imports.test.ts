import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import {
  createImports,
  documentFlag,
  documentOf,
  fillProject,
  type Imports,
} from '../../../../test/imports.ts';
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

test('an import recreates an exported project, and a second import changes nothing', async () => {
  const { id } = await imports.newProject('copy');
  const document = await imports.exportProject(project);
  const { planned, applied } = await imports.run(id, document);
  expect(planned).toMatchObject({
    status: 'planned',
    plan: {
      create: { environments: [], segments: ['staff'], flags: ['base', 'colour'] },
      update: { environments: [], segments: [], flags: [] },
      errors: [],
    },
  });
  expect(applied).toMatchObject({ status: 'applied', error: null, finished_at: expect.any(String) });
  const { key: _key, name: _name, ...copied } = await imports.exportProject(id);
  const { key: _k, name: _n, ...original } = document;
  expect(copied).toEqual(original);
  const again = await imports.plan(id, document);
  expect(again.plan).toMatchObject({
    create: { flags: [], segments: [] },
    update: { flags: [], segments: [] },
    unchanged: 3,
  });
});

test('a document can be JSON or YAML text', async () => {
  const { id } = await imports.newProject('texts');
  const yaml = `apiVersion: flagsvc/v1
kind: Project
flags:
- key: from-yaml
  flag_type: number
  variations: [{ key: small, value: 1 }, { key: big, value: 2.5 }]
  default_variation: small
`;
  expect((await imports.run(id, yaml)).applied.status).toBe('applied');
  expect(
    (await imports.run(id, JSON.stringify(documentOf([documentFlag('from-json')])))).applied.status,
  ).toBe('applied');
  expect((await imports.exportProject(id)).flags?.map((one) => one.key)).toEqual(['from-json', 'from-yaml']);
});

test('an import that creates environments and flags raises the version of each ruleset only once', async () => {
  const { id, default_environment_id } = await imports.newProject('wider');
  const version = async () => (await api.environments.get(default_environment_id)).ruleset_version;
  const before = await version();
  const { planned } = await imports.run(
    id,
    documentOf(
      [documentFlag('a', { environments: { qa: { enabled: true }, staging: {} } }), documentFlag('b')],
      {
        environments: [{ key: 'qa', name: 'QA', type: 'staging' }],
      },
    ),
  );
  expect(planned.plan.create.environments).toEqual(['qa']);
  const { flags } = await imports.exportProject(id);
  expect(flags?.[0]?.environments).toMatchObject({ qa: { enabled: true }, staging: { enabled: false } });
  expect(await version()).toBe(before + 1);
});

test('an import replaces each named flag and keeps other flags and environments', async () => {
  const { id } = await imports.newProject('merge');
  const all = { enabled: true };
  const environments = { development: all, staging: all, production: all };
  await imports.run(
    id,
    documentOf([
      documentFlag('kept', { environments }),
      documentFlag('changed', { tags: ['x'], environments }),
    ]),
  );
  const { planned } = await imports.run(
    id,
    documentOf([documentFlag('changed', { environments: { staging: {} } })]),
  );
  expect(planned.plan.update.flags).toEqual(['changed']);
  const { flags } = await imports.exportProject(id);
  expect(flags?.find((one) => one.key === 'changed')).toEqual(
    documentFlag('changed', {
      variations: [
        { key: 'on', name: 'on', value: true },
        { key: 'off', name: 'off', value: false },
      ],
      environments: { development: all, staging: { enabled: false }, production: all },
    }),
  );
  expect(flags?.find((one) => one.key === 'kept')?.environments).toEqual(environments);
});

test('the mode replace archives flags that the document does not name; create_only keeps existing flags', async () => {
  const { id } = await imports.newProject('modes');
  await imports.run(id, documentOf([documentFlag('one'), documentFlag('two')]));
  const only = await imports.run(
    id,
    documentOf([documentFlag('one', { name: 'Other' }), documentFlag('three')]),
    {
      mode: 'create_only',
    },
  );
  expect(only.planned.plan).toMatchObject({
    create: { flags: ['three'] },
    update: { flags: [] },
    unchanged: 1,
  });
  const replaced = await imports.run(id, documentOf([documentFlag('one')]), { mode: 'replace' });
  expect(replaced.planned.plan.archive.flags).toEqual(['three', 'two']);
  const statuses = async () =>
    Object.fromEntries(
      (await imports.exportProject(id)).flags!.map((one) => [one.key, one.status ?? 'active']),
    );
  expect(await statuses()).toEqual({ one: 'active', two: 'archived', three: 'archived' });
  await imports.run(id, documentOf([documentFlag('two')]));
  expect(await statuses()).toEqual({ one: 'active', two: 'active', three: 'archived' });
});

test('rules with the same content or name keep their ids', async () => {
  const { id, default_environment_id } = await imports.newProject('rules');
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
  await imports.run(id, documentOf([documentFlag('r', { environments: rules({}) })]));
  const before = await ids();
  await imports.run(id, documentOf([documentFlag('r', { environments: rules({ variation: 'off' }) })]));
  expect(await ids()).toEqual(before);
  const [first, ...rest] = before;
  await imports.run(id, documentOf([documentFlag('r', { environments: rules({ name: 'renamed' }) })]));
  const [kept, fresh] = await ids();
  expect(kept).toBe(first);
  expect(rest).not.toContain(fresh);
});

test('the audit entry of each imported flag has `via: import`', async () => {
  const { id } = await imports.newProject('audited');
  await imports.run(id, documentOf([documentFlag('seen')]));
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

test('one import applies several hundred flags', async () => {
  const { id } = await imports.newProject('small-load');
  const flags = Array.from({ length: 300 }, (_, index) => documentFlag(`load-${index}`));
  const { applied } = await imports.run(id, documentOf(flags));
  expect(applied.status).toBe('applied');
  expect((await imports.exportProject(id)).flags).toHaveLength(300);
});
