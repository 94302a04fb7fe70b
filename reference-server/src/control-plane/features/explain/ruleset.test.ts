import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
let environment: string;
beforeAll(async () => {
  server = await startServer();
  environment = server.environments.development;
});
afterAll(() => server.close());

const read = (headers: Record<string, string> = {}) =>
  server.as('viewer').raw({ url: `/environments/${environment}/ruleset`, headers });

test('people who may read flags get the same ruleset and entity tag as a server key', async () => {
  const admin = server.as('admin').in(environment);
  await admin.flags.create(booleanFlag('shown'));
  const { key } = await admin.apiKeys.create(environment, { name: 'k' });
  const served = await server.withKey(key!).dataPlane.ruleset().answer;
  const { status, headers, body } = await read();
  expect(status).toBe(200);
  expect(body).toEqual(served.body);
  expect(headers['etag']).toBe(served.headers['etag']);
  expect(headers['cache-control']).toBe('private, no-cache');
  expect(body.data.flags.map((flag: { key: string }) => flag.key)).toEqual(['shown']);
});

test('an unchanged ruleset gets 304, a changed one 200', async () => {
  const etag = String((await read()).headers['etag']);
  expect((await read({ 'if-none-match': etag })).status).toBe(304);
  await server.as('admin').in(environment).flags.create(booleanFlag('newer'));
  const after = await read({ 'if-none-match': etag });
  expect(after.status).toBe(200);
  expect(after.body.data.flags).toHaveLength(2);
});

test('other tenants get no ruleset', async () => {
  const stranger = server.withToken((await addTenant(server)).token);
  expect(await codeOf(stranger.environments.ruleset(environment))).toBe('ENVIRONMENT_NOT_FOUND');
});
