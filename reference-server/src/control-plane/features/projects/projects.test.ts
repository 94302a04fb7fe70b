import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, SECRETS, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

function create(body: object) {
  return server.call({ method: 'POST', url: '/projects', token: server.tokens.editor, body });
}

const admin = (method: 'PATCH' | 'DELETE', url: string, body?: object) =>
  server.call({ method, url, token: server.tokens.admin, body });

test('has project `default` with three environments on a fresh installation', async () => {
  const { body } = await server.call({ url: '/projects', token: server.tokens.viewer });
  expect(body.meta.total).toBe(1);
  expect(body.data[0]).toEqual({
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
  const environments = await server.call({
    url: `/environments?project_id=${server.projectId}`,
    token: server.tokens.viewer,
  });
  expect(
    environments.body.data.map((one: { key: string; type: string; critical: boolean }) => [
      one.key,
      one.type,
      one.critical,
    ]),
  ).toEqual([
    ['development', 'development', false],
    ['staging', 'staging', false],
    ['production', 'production', true],
  ]);
});

test('fills a database only once', async () => {
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

test('creates a project with its own environments', async () => {
  const { status, body } = await create({
    key: 'shop',
    name: 'Shop',
    tags: ['web'],
    environments: [{ key: 'live', name: 'Live', type: 'production' }],
  });
  expect(status).toBe(201);
  expect(body.data).toMatchObject({ key: 'shop', tags: ['web'], environments_count: 1 });
  const environments = await server.call({
    url: `/projects/${body.data.id}/environments`,
    token: server.tokens.viewer,
  });
  expect(environments.body.data[0]).toMatchObject({ key: 'live', ruleset_version: 1, critical: true });
});

test('refuses a key that is taken, and keys that repeat', async () => {
  const taken = await create({ key: 'default', name: 'x' });
  expect([taken.status, taken.body.error.code]).toEqual([409, 'PROJECT_KEY_CONFLICT']);
  const one = { key: 'a', name: 'A', type: 'staging' };
  const repeated = await create({ key: 'repeated', name: 'x', environments: [one, one] });
  expect(repeated.body.error.details.fields[0]).toMatchObject({ field: 'environments', code: 'duplicate' });
});

test('changes what is given, under If-Match', async () => {
  const { body } = await create({ key: 'patched', name: 'Before' });
  const url = `/projects/${body.data.id}`;
  const patched = await admin('PATCH', url, { name: 'After' });
  expect(patched.body.data).toMatchObject({ name: 'After', key: 'patched', revision: 2 });
  expect(patched.headers['etag']).toBe('"2"');
  const stale = await server.call({
    method: 'PATCH',
    url,
    token: server.tokens.admin,
    body: { name: 'Lost' },
    headers: { 'if-match': '"1"' },
  });
  expect([stale.status, stale.body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
  const foreign = await admin('PATCH', url, { default_environment_id: server.environments.staging });
  expect(foreign.body.error.code).toBe('ENVIRONMENT_NOT_FOUND');
});

test('archives a project with everything in it, once its key is repeated', async () => {
  const { body } = await create({ key: 'doomed', name: 'Doomed' });
  const { id, default_environment_id: environment } = body.data;
  const flag = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${environment}`,
    token: server.tokens.editor,
    body: booleanFlag('inside'),
  });
  const key = await server.call({
    method: 'POST',
    url: `/environments/${environment}/api-keys`,
    token: server.tokens.editor,
    body: { name: 'k' },
  });
  const ruleset = () => server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key.body.data.key } });
  expect((await ruleset()).status).toBe(200);

  expect((await admin('DELETE', `/projects/${id}`)).status).toBe(400);
  const wrong = await admin('DELETE', `/projects/${id}?confirm_key=other`);
  expect(wrong.body.error.details.fields[0]).toMatchObject({ field: 'confirm_key', code: 'mismatch' });
  expect((await admin('DELETE', `/projects/${id}?confirm_key=doomed`)).status).toBe(204);

  for (const url of [
    `/projects/${id}`,
    `/environments/${environment}`,
    `/flags/${flag.body.data.id}?environment_id=${environment}`,
    `/projects/${id}/segments`,
  ]) {
    expect((await server.call({ url, token: server.tokens.admin })).status).toBe(404);
  }
  const refused = await ruleset();
  expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_API_KEY']);
  expect((await create({ key: 'doomed', name: 'Again' })).body.error.code).toBe('PROJECT_KEY_CONFLICT');
});

test('brings an archived project back with its keys, within 30 days', async () => {
  const { body } = await create({ key: 'returning', name: 'Returning' });
  const { id, default_environment_id: environment } = body.data;
  const key = await server.call({
    method: 'POST',
    url: `/environments/${environment}/api-keys`,
    token: server.tokens.editor,
    body: { name: 'k' },
  });
  const ruleset = () => server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key.body.data.key } });
  const restore = (token: string) => server.call({ method: 'POST', url: `/projects/${id}/restore`, token });
  const archived = async () => {
    const list = await server.call({ url: '/projects?archived=true', token: server.tokens.viewer });
    return list.body.data.map((one: { key: string }) => one.key);
  };
  expect((await restore(server.tokens.admin)).body.error.code).toBe('PROJECT_NOT_FOUND');
  await admin('DELETE', `/projects/${id}?confirm_key=returning`);
  expect((await ruleset()).status).toBe(401);
  expect(await archived()).toContain('returning');
  expect((await restore(server.tokens.editor)).status).toBe(403);
  expect((await restore(server.tokens.admin)).body.data).toMatchObject({ id, archived_at: null });
  expect((await ruleset()).status).toBe(200);
  expect(await archived()).not.toContain('returning');
  await admin('DELETE', `/projects/${id}?confirm_key=returning`);
  const longAgo = '2026-10-01T00:00:00.000Z';
  await server.db.updateTable('projects').set({ archived_at: longAgo }).where('id', '=', id).execute();
  expect((await restore(server.tokens.admin)).body.error.code).toBe('PROJECT_NOT_FOUND');
});

test('binds new flags to the settings of their project', async () => {
  const { body } = await create({
    key: 'strict',
    name: 'Strict',
    settings: { flag_key_pattern: '^web-', flag_key_hint: 'web-…', client_exposure_default: true },
  });
  const { id, default_environment_id: environment } = body.data;
  const patched = await admin('PATCH', `/projects/${id}`, {
    settings: {
      require_description: true,
      default_classification: 'release',
      stale_policy: { lifetime_days: { release: 7 } },
    },
  });
  expect(patched.body.data.settings).toMatchObject({
    flag_key_pattern: '^web-',
    require_description: true,
    stale_policy: { rolled_out_days: 14, lifetime_days: { release: 7, experiment: 40 } },
  });
  const createFlag = (key: string, more: object = {}) =>
    server.call({
      method: 'POST',
      url: `/flags?environment_id=${environment}`,
      token: server.tokens.editor,
      body: booleanFlag(key, more),
    });
  const misnamed = await createFlag('app-x', { description: 'd' });
  expect([misnamed.status, misnamed.body.error.code, misnamed.body.error.details.hint]).toEqual([
    422,
    'FLAG_KEY_PATTERN_MISMATCH',
    'web-…',
  ]);
  expect((await createFlag('web-x')).body.error.code).toBe('DESCRIPTION_REQUIRED');
  expect((await createFlag('web-x', { description: 'd' })).body.data).toMatchObject({
    classification: 'release',
    client_side: true,
  });
  const wrong = await admin('PATCH', `/projects/${id}`, { settings: { flag_key_pattern: '(' } });
  expect([wrong.status, wrong.body.error.code]).toEqual([422, 'REGEX_INVALID']);
});

test('keeps nothing of settings that it does not know', async () => {
  const { body } = await create({ key: 'odd', name: 'Odd', settings: { colour: 'red' } });
  const policy = { days: 3, rolled_out_days: 7, lifetime_days: { toString: 4 } };
  const project = await admin('PATCH', `/projects/${body.data.id}`, { settings: { stale_policy: policy } });
  const { settings } = project.body.data;
  expect(settings).toEqual({
    ...body.data.settings,
    stale_policy: { ...body.data.settings.stale_policy, rolled_out_days: 7 },
  });
  expect(JSON.stringify(settings)).not.toMatch(/colour|"days"|toString/);
  const url = `/organizations/${server.organizationId}`;
  const organization = await admin('PATCH', url, { settings: { constructor: 'x', toString: 'y' } });
  const untouched = { name: 'Default organization', revision: 1 };
  expect(organization.body.data).toMatchObject(untouched);
  expect(Object.keys(organization.body.data.settings)).toHaveLength(5);
});

test('reads and renames the one organization, and has no second', async () => {
  const { organizationId, tokens } = server;
  const list = await server.call({ url: '/organizations', token: tokens.viewer });
  expect(list.body).toEqual({
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
  const renamed = await admin('PATCH', `/organizations/${organizationId}`, { name: 'Acme' });
  expect(renamed.body.data).toMatchObject({ name: 'Acme', revision: 2 });
  const second = await server.call({
    method: 'POST',
    url: '/organizations',
    token: tokens.admin,
    body: { name: 'Second' },
  });
  expect(second.status).toBe(403);
  expect(second.body.error).toMatchObject({
    code: 'FEATURE_NOT_AVAILABLE',
    details: { feature: 'multiple_organizations', required_mode: 'saas' },
  });
});
