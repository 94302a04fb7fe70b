import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmptyServer, startServer, type TestServer } from '../../../../test/server.ts';
import { RATE_LIMITS } from '../../../http/rate-limits.ts';
import { CAPABILITIES, includesMode, missingRoutes } from './capabilities.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

test('GET /instance describes the installation without a login', async () => {
  const empty = await startEmptyServer({ registration: 'invite', limits: { ruleset: 1_234 } });
  const instance = await empty.anonymous.instance.get();
  await empty.close();
  expect(instance).toEqual({
    version: '0.0.0-test',
    mode: 'oss',
    registration: 'invite',
    sso_enabled: false,
    rate_limits: { ...RATE_LIMITS, ruleset: 1_234 },
    has_users: false,
  });
});

test('GET /instance says that a user has registered', async () => {
  expect(await server.anonymous.instance.get()).toMatchObject({ has_users: true });
});

test('the capabilities match the endpoints that this mode refuses', async () => {
  const { features } = await server.as('viewer').instance.capabilities();
  expect(Object.keys(features).sort()).toEqual(Object.keys(CAPABILITIES).sort());
  expect(features).toMatchObject({
    freeze_windows: { available: true, reason: null, required_mode: 'oss' },
    sso: { available: false, reason: 'mode', required_mode: 'enterprise' },
  });
  const { status, body } = await server.as('admin').raw({ url: '/roles' });
  expect([status, body.error]).toMatchObject([
    403,
    {
      code: 'FEATURE_NOT_AVAILABLE',
      details: { feature: 'custom_roles', required_mode: 'enterprise' },
    },
  ]);
});

test.each([
  ['GET', '/organizations/x/usage', 'billing'],
  ['POST', '/organizations/x/subscription/checkout', 'billing'],
  ['GET', '/analytics/flags/x', 'analytics'],
  ['PATCH', '/organizations/x/teams/x', 'teams'],
  ['POST', '/change-requests/x/approve', 'change_requests'],
  ['GET', '/sso/connections', 'sso'],
  ['POST', '/scim/tokens', 'scim'],
  ['GET', '/compliance/access-review', 'compliance'],
  ['GET', '/organizations/x/costs', 'cost_management'],
] as const)('the refusal of %s %s names the feature of another mode', async (method, url, feature) => {
  const { status, body } = await server.as('admin').raw({ method, url });
  expect([status, body.error]).toMatchObject([403, { code: 'FEATURE_NOT_AVAILABLE', details: { feature } }]);
});

test('each mode includes the features of the ones before it', () => {
  expect(includesMode('enterprise', 'saas')).toBe(true);
  expect(includesMode('oss', 'saas')).toBe(false);
  expect(missingRoutes('enterprise')).toEqual([]);
  expect(missingRoutes('saas').length).toBeLessThan(missingRoutes('oss').length);
});

test('a server without its database is live but not ready', async () => {
  const broken = await startEmptyServer();
  expect((await broken.call({ url: '/health/ready' })).status).toBe(200);
  await broken.db.destroy();
  expect(await broken.call({ url: '/health/live' })).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await broken.call({ url: '/health/ready' })).toMatchObject({
    status: 503,
    body: { status: 'failing' },
  });
  expect((await broken.call({ url: '/health' })).status).toBe(503);
  await broken.app.close();
});

test('the status names database, email, metrics and jobs that are late', async () => {
  const due_at = '2020-01-01T03:00:00.000Z';
  await server.db.insertInto('job_runs').values({ job: 'forgotten', due_at, last_run_at: null }).execute();
  const status = await server.as('admin').instance.status();
  expect(status).toMatchObject({
    database: {
      engine: expect.stringMatching(/^(sqlite|postgresql)$/),
      version: expect.stringMatching(/^\d/),
    },
    mail: { configured: false, waiting: 0, oldest_at: null },
    metrics_port: null,
  });
  expect(status.nightly_jobs).toContainEqual({ name: 'forgotten', due_at, last_run_at: null, late: true });
});
