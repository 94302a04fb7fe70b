import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

test('a suspended organization can be read, exported and served, but not changed', async () => {
  const { tokens, environments, db } = server;
  const url = `/flags?environment_id=${environments.staging}`;
  const call = (method: string, path: string, body?: object, token = tokens.admin) =>
    server.call({ method: method as 'GET', url: path, token, body });
  const { id } = (await call('POST', url, booleanFlag('served'))).body.data;
  const { key } = (await call('POST', `/environments/${environments.staging}/api-keys`, { name: 'k' })).body
    .data;
  await db.updateTable('organizations').set({ status: 'suspended' }).execute();

  const flag = `/flags/${id}?environment_id=${environments.staging}`;
  for (const [method, path, body] of [
    ['PUT', flag, { name: 'x' }],
    ['POST', flag.replace('?', '/toggle?'), { enabled: true }],
    ['PATCH', `/organizations/${server.organizationId}`, { name: 'x' }],
    ['POST', '/auth/tokens', { name: 'x', scopes: ['read'] }],
  ] as const) {
    const { status, body: answer } = await call(method, path, body);
    expect([path, status, answer.error?.code]).toEqual([path, 403, 'ORGANIZATION_SUSPENDED']);
  }
  expect((await call('PUT', `${flag}&dry_run=true`, { name: 'x' })).body.data.plan[0].gate).toMatchObject({
    allowed: false,
    code: 'ORGANIZATION_SUSPENDED',
  });
  const { accessToken } = await enter(server, 'viewer@example.com');
  expect((await call('GET', flag, undefined, accessToken)).status).toBe(200);
  const file = `/projects/${server.projectId}/export`;
  expect((await call('GET', file, undefined, accessToken)).status).toBe(200);
  const headers = { 'x-api-key': key };
  expect((await server.call({ url: '/sdk/ruleset', headers })).status).toBe(200);
  const body = { flags: ['served'], context: { user_key: 'u' } };
  expect((await server.call({ method: 'POST', url: '/evaluate', headers, body })).status).toBe(200);

  await db.updateTable('organizations').set({ status: 'active' }).execute();
  expect((await call('PUT', flag, { name: 'x' })).status).toBe(200);
});
