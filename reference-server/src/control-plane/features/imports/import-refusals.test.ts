import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { createImports, documentFlag, documentOf, type Imports } from '../../../../test/imports.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let imports: Imports;
let project: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('admin');
  imports = createImports(api);
  project = server.projectId;
});
afterAll(() => server.close());

const freeze = (environmentId: string) =>
  api.freezeWindows.create({
    name: 'No imports',
    reason: 'peak trade',
    scope: { environment_ids: [environmentId] },
    starts_at: '2026-11-20T00:00:00.000Z',
    ends_at: '2026-11-30T00:00:00.000Z',
  });

test('an infinite number, which YAML can express, is refused', async () => {
  const { id } = await imports.newProject('endless');
  const variations = [{ key: 'off', value: 4711 }];
  const document = JSON.stringify(documentOf([documentFlag('endless', { flag_type: 'number', variations })]));
  const planned = await imports.plan(id, document.replace('4711', '.inf'));
  expect(planned.plan.errors).toMatchObject([
    { path: 'flags.0.variations.0.value', code: 'VARIATION_VALUE_TYPE_MISMATCH' },
  ]);
});

test('the plan lists every fault with its path, and applying it changes nothing', async () => {
  const { id } = await imports.newProject('faulty');
  const planned = await imports.plan(
    id,
    documentOf([
      documentFlag('fine'),
      documentFlag('no-default', { default_variation: 'third' }),
      documentFlag('bad-rule', {
        environments: { production: { targeting_rules: [{ priority: 1, conditions: [], variation: 'x' }] } },
      }),
      documentFlag('no-environment', { environments: { moon: {} } }),
      documentFlag('waits', {
        environments: { production: { prerequisites: [{ flag_key: 'nobody', variation: 'on' }] } },
      }),
      documentFlag('round', {
        environments: { production: { prerequisites: [{ flag_key: 'about', variation: 'on' }] } },
      }),
      documentFlag('about', {
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
  expect(await codeOf(imports.apply(planned.id))).toBe('IMPORT_INVALID');
  expect((await imports.exportProject(id)).flags).toEqual([]);
});

test.each([
  ['broken syntax', '[1, 2', 'syntax'],
  ['an unknown format version', { apiVersion: 'flagsvc/v9', kind: 'Project' }, 'const'],
  ['an unknown field', documentOf([], { flagz: [] }), 'unknown'],
  ['an incomplete flag', documentOf([{ key: 'x' }]), 'required'],
  ['a repeated key', documentOf([documentFlag('x'), documentFlag('x')]), 'duplicate'],
  ['anchors', 'apiVersion: flagsvc/v1\nkind: Project\na: &a [1]\nb: [*a, *a]\n', 'alias'],
  [
    'too many levels',
    JSON.stringify(documentOf([])).replace('[]', '['.repeat(50) + ']'.repeat(50)),
    'maxDepth',
  ],
  ['a list at its root', '- 1\n- 2\n', 'type'],
])('a document with %s is refused with the reason', async (_name, document, code) => {
  const refusal = await refused(api.unchecked.imports.create(project, { document }));
  expect(refusal.code).toBe('IMPORT_INVALID');
  expect(refusal.details.errors.map((fault: { code: string }) => fault.code)).toContain(code);
});

test('a plan is refused after the project has changed or the plan was applied', async () => {
  const { id, default_environment_id } = await imports.newProject('stale');
  const first = await imports.plan(id, documentOf([documentFlag('a')]));
  await api.in(default_environment_id).flags.create(booleanFlag('meanwhile'));
  expect(await codeOf(imports.apply(first.id))).toBe('PLAN_STALE');
  const { planned } = await imports.run(id, documentOf([documentFlag('a')]));
  expect(await codeOf(imports.apply(planned.id))).toBe('IMPORT_STATE_CONFLICT');
  expect(await codeOf(api.imports.get('imp_x'))).toBe('IMPORT_NOT_FOUND');
});

test('a plan is refused after a flag was replaced by another while the clock was set back', async () => {
  const { id, default_environment_id } = await imports.newProject('set-back');
  const { flags } = api.in(default_environment_id);
  const gone = await flags.create(booleanFlag('gone'));
  await flags.archive(gone.id);
  await flags.create(booleanFlag('newest'));
  const planned = await imports.plan(id, documentOf([documentFlag('a')]));
  server.advance(-60_000);
  await flags.delete(gone.id, { confirm_key: 'gone' });
  const created = await flags.create(booleanFlag('come'));
  // The number of flags and the sum of their revisions are as before.
  await flags.update(created.id, { name: 'Changed once' });
  server.advance(60_000);
  expect((await imports.exportProject(id)).flags!.map(({ key }) => key)).toEqual(['come', 'newest']);
  expect(await codeOf(imports.apply(planned.id))).toBe('PLAN_STALE');
});

test('an import that a freeze window refuses stays planned', async () => {
  const { id, default_environment_id } = await imports.newProject('frozen');
  const planned = await imports.plan(id, documentOf([documentFlag('a'), documentFlag('b')]));
  const window = await freeze(default_environment_id);
  expect(await codeOf(imports.apply(planned.id))).toBe('FREEZE_WINDOW_ACTIVE');
  expect((await imports.exportProject(id)).flags).toEqual([]);
  expect((await api.imports.get(planned.id)).status).toBe('planned');
  await api.freezeWindows.end(window.id, { comment: 'over' });
  expect(await imports.apply(planned.id)).toMatchObject({ status: 'applied', error: null });
});

test('an import fails as a whole when one change is refused, and can be repeated', async () => {
  const { id } = await imports.newProject('half-frozen');
  await imports.run(id, documentOf([documentFlag('a'), documentFlag('b')]));
  const environments = await api.environments.listOf(id);
  const on = (key: string) => ({ environments: { [key]: { enabled: true } } });
  const planned = await imports.plan(
    id,
    documentOf([documentFlag('a', on('staging')), documentFlag('b', on('production'))]),
  );
  const window = await freeze(environments.find(({ key }) => key === 'production')!.id);
  const before = await imports.exportProject(id);
  expect(await imports.apply(planned.id)).toMatchObject({
    status: 'failed',
    error: { code: 'FREEZE_WINDOW_ACTIVE' },
  });
  expect(await imports.exportProject(id)).toEqual(before);
  await api.freezeWindows.end(window.id, { comment: 'over' });
  expect(await imports.apply(planned.id)).toMatchObject({ status: 'applied', error: null });
});

test('a dry run of applying an import lists each change', async () => {
  const { id } = await imports.newProject('tried');
  const planned = await imports.plan(id, documentOf([documentFlag('a'), documentFlag('b')]));
  const tried = await api.dryRun.imports.apply(planned.id, {});
  expect(tried.plan.map(({ action }) => action)).toEqual(['flag.created', 'flag.created', 'import.applied']);
  expect((await imports.exportProject(id)).flags).toEqual([]);
  expect((await api.imports.get(planned.id)).status).toBe('planned');
});
