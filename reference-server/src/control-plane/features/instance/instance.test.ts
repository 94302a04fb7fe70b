import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmptyServer, startServer, type TestServer } from '../../../../test/server.ts';
import { CAPABILITIES, includesMode, missingRoutes } from './capabilities.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

test('tells everybody what a client needs before a login', async () => {
  const empty = await startEmptyServer({ registration: 'invite' });
  const { status, body } = await empty.call({ url: '/instance' });
  await empty.close();
  expect([status, body.data]).toEqual([
    200,
    { version: '0.0.0-test', mode: 'oss', registration: 'invite', sso_enabled: false },
  ]);
});

test('tells users what it can do, from the table that refuses the rest', async () => {
  const { body } = await server.call({ url: '/instance/capabilities', token: server.tokens.viewer });
  expect(Object.keys(body.data.features).sort()).toEqual(Object.keys(CAPABILITIES).sort());
  expect(body.data.features.freeze_windows).toEqual({
    available: true,
    reason: null,
    required_mode: 'oss',
  });
  expect(body.data.features.sso).toEqual({
    available: false,
    reason: 'mode',
    required_mode: 'enterprise',
  });
  const answer = await server.call({ url: '/roles', token: server.tokens.admin });
  expect([answer.status, answer.body.error]).toEqual([
    403,
    expect.objectContaining({
      code: 'FEATURE_NOT_AVAILABLE',
      details: { feature: 'custom_roles', required_mode: 'enterprise' },
    }),
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
] as const)('says of %s %s which feature it belongs to', async (method, url, feature) => {
  const { status, body } = await server.call({ method, url, token: server.tokens.admin });
  expect([status, body.error]).toMatchObject([403, { code: 'FEATURE_NOT_AVAILABLE', details: { feature } }]);
});

test('brings with each mode what those before it have', () => {
  expect(includesMode('enterprise', 'saas')).toBe(true);
  expect(includesMode('oss', 'saas')).toBe(false);
  expect(missingRoutes('enterprise')).toEqual([]);
  expect(missingRoutes('saas').length).toBeLessThan(missingRoutes('oss').length);
});

test('is alive without its database, and not ready', async () => {
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
