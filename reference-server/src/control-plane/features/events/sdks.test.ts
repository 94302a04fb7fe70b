import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
let admin: Api;
let environment: string;
let key: { id: string; key?: string };

beforeEach(async () => {
  server = await startServer();
  environment = server.environments.development;
  admin = server.as('admin');
  key = await admin.apiKeys.create(environment, { name: 'shop' });
});
afterEach(() => server.close());

let batches = 0;
const report = (sdk: { name: string; version: string }) =>
  server.withKey(key.key!).dataPlane.sendEvents({
    batch_id: `sdk-batch-${++batches}`,
    sent_at: '2026-11-20T10:00:00.000Z',
    sdk,
    events: [],
  });
const list = (api: Api = server.as('viewer')) => api.environments.sdks(environment, {});
const node = { name: 'sdk-node', version: '0.1.0' };

test('an SDK appears with its first batch of events', async () => {
  expect(await list()).toEqual([]);
  await report(node);
  const [sdk] = await list();
  expect(sdk).toMatchObject({ ...node, key: { id: key.id, name: 'shop', kind: 'server' }, requests: 1 });
  expect(sdk!.last_seen_at).toBe(sdk!.first_seen_at);
});

test('further batches are written at most every 30 seconds', async () => {
  await report(node);
  const [first] = await list();
  await report(node);
  expect(await list()).toEqual([first]);
  server.advance(30_000);
  await report(node);
  const [later] = await list();
  expect(later).toMatchObject({ first_seen_at: first!.first_seen_at, requests: 3 });
  expect(later!.last_seen_at > first!.last_seen_at).toBe(true);
});

test('the last 100 SDKs of an environment are kept', async () => {
  for (let index = 0; index < 103; index += 1) await report({ name: 'sdk-node', version: `0.0.${index}` });
  const { body } = await server.as('viewer').environments.sdks(environment, { per_page: 200 }).answer;
  expect(body.meta.total).toBe(100);
  expect(body.data[0]!.version).toBe('0.0.102');
  expect(body.data.at(-1)!.version).toBe('0.0.3');
});

test('other tenants see none', async () => {
  const stranger = server.withToken((await addTenant(server)).token);
  expect(await codeOf(list(stranger))).toBe('ENVIRONMENT_NOT_FOUND');
});
