import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, SECRETS, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let editor: Api;
let admin: Api;
beforeAll(async () => {
  server = await startServer();
  editor = server.as('editor');
  admin = server.as('admin');
});
afterAll(() => server.close());

const create = (body: Body<'POST /projects'>) => editor.projects.create(body);

/** Creates a key of the environment; returns a function that tells whether the key can read the ruleset. */
async function issueKey(environmentId: string) {
  const { key } = await editor.apiKeys.create(environmentId, { name: 'k' });
  return () => codeOf(server.withKey(key!).dataPlane.ruleset());
}

test('a fresh installation has the project `default` with three environments', async () => {
  const projects = await editor.projects.list();
  expect(projects).toHaveLength(1);
  expect(projects[0]).toEqual({
    id: expect.stringMatching(/^prj_[0-9A-Z]{26}$/),
    organization_id: server.organizationId,
    key: 'default',
    name: 'Default project',
    description: '',
    tags: [],
    default_environment_id: server.environments.development,
    settings: {
      flag_key_pattern: null,
      flag_key_hint: '',
      require_description: false,
      default_classification: null,
      client_exposure_default: false,
      stale_policy: {
        rolled_out_days: 14,
        single_variation_days: 14,
        not_evaluated_days: 30,
        lifetime_days: { release: 40, experiment: 40, migration: 90 },
        auto_archive_after_days: null,
      },
    },
    archived_at: null,
    environments_count: 3,
    flags_count: 0,
    revision: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const environments = await editor.environments.list({ project_id: server.projectId });
  expect(environments.map(({ key, type, critical }) => [key, type, critical])).toEqual([
    ['development', 'development', false],
    ['staging', 'staging', false],
    ['production', 'production', true],
  ]);
});

test('the default project is created only once per database', async () => {
  const { createRateLimiter } = await import('../../../http/rate-limit.ts');
  const { buildServer } = await import('../../../app/build-server.ts');
  const again = await buildServer({
    db: server.db,
    ...SECRETS,
    limiter: createRateLimiter(),
    version: '0',
  });
  await again.close();
  expect(await server.db.selectFrom('organizations').select('id').execute()).toHaveLength(1);
  expect(await server.db.selectFrom('projects').select('id').execute()).toHaveLength(1);
});

test('a project can be created with its own environments', async () => {
  const project = await create({
    key: 'shop',
    name: 'Shop',
    tags: ['web'],
    environments: [{ key: 'live', name: 'Live', type: 'production' }],
  });
  expect(project).toMatchObject({ key: 'shop', tags: ['web'], environments_count: 1 });
  expect(await editor.environments.listOf(project.id)).toMatchObject([
    { key: 'live', ruleset_version: 1, critical: true },
  ]);
});

test('a taken project key and environments with the same key are refused', async () => {
  expect(await codeOf(create({ key: 'default', name: 'x' }))).toBe('PROJECT_KEY_CONFLICT');
  const environment = { key: 'a', name: 'A', type: 'staging' } as const;
  const environments = [environment, environment];
  const { details } = await refused(create({ key: 'repeated', name: 'x', environments }));
  expect(details.fields[0]).toMatchObject({ field: 'environments', code: 'duplicate' });
});

test('an update changes only the given fields, and is refused if If-Match names an old revision', async () => {
  const { id } = await create({ key: 'patched', name: 'Before' });
  const { body, headers } = await admin.projects.update(id, { name: 'After' }).answer;
  expect(body.data).toMatchObject({ name: 'After', key: 'patched', revision: 2 });
  expect(headers.etag).toBe('"2"');
  const stale = admin.projects.update(id, { name: 'Lost' }, { ifMatch: 1 });
  expect(await codeOf(stale)).toBe('PRECONDITION_FAILED');
  const foreign = { default_environment_id: server.environments.staging };
  expect(await codeOf(admin.projects.update(id, foreign))).toBe('ENVIRONMENT_NOT_FOUND');
});

test('a project is archived with everything in it when its key is confirmed', async () => {
  const { id, default_environment_id } = await create({ key: 'doomed', name: 'Doomed' });
  const environment = default_environment_id!;
  const flag = await editor.in(environment).flags.create(booleanFlag('inside'));
  const useKey = await issueKey(environment);
  expect(await useKey()).toBe('OK');

  expect(await codeOf(admin.unchecked.projects.archive(id))).toBe('VALIDATION_ERROR');
  const { details } = await refused(admin.projects.archive(id, { confirm_key: 'other' }));
  expect(details.fields[0]).toMatchObject({ field: 'confirm_key', code: 'mismatch' });
  await admin.projects.archive(id, { confirm_key: 'doomed' });

  expect(await codeOf(admin.projects.get(id))).toBe('PROJECT_NOT_FOUND');
  expect(await codeOf(admin.environments.get(environment))).toBe('ENVIRONMENT_NOT_FOUND');
  expect(await codeOf(admin.in(environment).flags.get(flag.id))).toBe('ENVIRONMENT_NOT_FOUND');
  expect(await codeOf(admin.segments.list(id))).toBe('PROJECT_NOT_FOUND');
  expect(await useKey()).toBe('INVALID_API_KEY');
  expect(await codeOf(create({ key: 'doomed', name: 'Again' }))).toBe('PROJECT_KEY_CONFLICT');
});

test('an archived project can be restored with its API keys within 30 days', async () => {
  const { id, default_environment_id } = await create({ key: 'returning', name: 'Returning' });
  const useKey = await issueKey(default_environment_id!);
  const archive = () => admin.projects.archive(id, { confirm_key: 'returning' });
  const archived = async () => (await editor.projects.list({ archived: true })).map(({ key }) => key);
  expect(await codeOf(admin.projects.restore(id))).toBe('PROJECT_NOT_FOUND');
  await archive();
  expect(await useKey()).toBe('INVALID_API_KEY');
  expect(await archived()).toContain('returning');
  expect(await codeOf(editor.projects.restore(id))).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await admin.projects.restore(id)).toMatchObject({ id, archived_at: null });
  expect(await useKey()).toBe('OK');
  expect(await archived()).not.toContain('returning');
  await archive();
  const archived_at = '2026-10-01T00:00:00.000Z';
  await server.db.updateTable('projects').set({ archived_at }).where('id', '=', id).execute();
  expect(await codeOf(admin.projects.restore(id))).toBe('PROJECT_NOT_FOUND');
});

test('the settings of a project apply to new flags', async () => {
  const { id, default_environment_id } = await create({
    key: 'strict',
    name: 'Strict',
    settings: { flag_key_pattern: '^web-', flag_key_hint: 'web-…', client_exposure_default: true },
  });
  const update = (settings: Body<'PATCH /projects/{project_id}'>['settings']) =>
    admin.projects.update(id, { settings });
  const { settings } = await update({
    require_description: true,
    default_classification: 'release',
    stale_policy: { lifetime_days: { release: 7 } },
  });
  expect(settings).toMatchObject({
    flag_key_pattern: '^web-',
    require_description: true,
    stale_policy: { rolled_out_days: 14, lifetime_days: { release: 7, experiment: 40 } },
  });
  const { flags } = editor.in(default_environment_id!);
  expect(await refused(flags.create(booleanFlag('app-x', { description: 'd' })))).toMatchObject({
    code: 'FLAG_KEY_PATTERN_MISMATCH',
    details: { hint: 'web-…' },
  });
  expect(await codeOf(flags.create(booleanFlag('web-x')))).toBe('DESCRIPTION_REQUIRED');
  expect(await flags.create(booleanFlag('web-x', { description: 'd' }))).toMatchObject({
    classification: 'release',
    client_side: true,
  });
  expect(await codeOf(update({ flag_key_pattern: '(' }))).toBe('REGEX_INVALID');
});

test('unknown settings are not stored', async () => {
  const { projects, organizations } = admin.unchecked;
  const created = await projects.create({ key: 'odd', name: 'Odd', settings: { colour: 'red' } });
  const stale_policy = { days: 3, rolled_out_days: 7, lifetime_days: { toString: 4 } };
  const { settings } = await projects.update(created.id, { settings: { stale_policy } });
  expect(settings).toEqual({
    ...created.settings,
    stale_policy: { ...created.settings.stale_policy, rolled_out_days: 7 },
  });
  expect(JSON.stringify(settings)).not.toMatch(/colour|"days"|toString/);
  const body = { settings: { constructor: 'x', toString: 'y' } };
  const organization = await organizations.update(server.organizationId, body);
  expect(organization).toMatchObject({ name: 'Default organization', revision: 1 });
  expect(Object.keys(organization.settings)).toHaveLength(5);
});

test('the only organization can be read and renamed, and no second one can be created', async () => {
  const { organizationId } = server;
  expect((await editor.organizations.list().answer).body).toEqual({
    data: [
      {
        id: organizationId,
        name: 'Default organization',
        slug: 'default',
        plan: 'oss',
        status: 'active',
        settings: {
          allowed_email_domains: [],
          audit_retention_days: null,
          default_member_role: null,
          require_mfa: false,
          session_max_hours: null,
        },
        revision: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ],
    meta: { page: 1, per_page: 50, total: 1 },
  });
  const renamed = await admin.organizations.update(organizationId, { name: 'Acme' });
  expect(renamed).toMatchObject({ name: 'Acme', revision: 2 });
  const second = await admin.raw({ method: 'POST', url: '/organizations', body: { name: 'Second' } });
  expect(second.status).toBe(403);
  expect(second.body.error).toMatchObject({
    code: 'FEATURE_NOT_AVAILABLE',
    details: { feature: 'multiple_organizations', required_mode: 'saas' },
  });
});
