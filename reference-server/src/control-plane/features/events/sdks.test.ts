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

test('the last 20 SDKs of a key and the last 100 of an environment are kept', async () => {
  const seen = () => server.as('viewer').environments.sdks(environment, { per_page: 200 });
  for (let index = 0; index < 23; index += 1) await report({ name: 'sdk-node', version: `0.0.${index}` });
  const versions = (await seen()).map(({ version }) => version);
  expect([versions.length, versions[0], versions.at(-1)]).toEqual([20, '0.0.22', '0.0.3']);
  for (let count = 0; count < 5; count += 1) {
    key = await admin.apiKeys.create(environment, { name: `shop ${count}` });
    for (let index = 0; index < 20; index += 1) await report({ name: 'sdk-node', version: `0.1.${index}` });
  }
  const kept = await seen();
  expect(kept).toHaveLength(100);
  expect(kept.filter(({ version }) => version.startsWith('0.0.'))).toEqual([]);
});

test('other tenants see none', async () => {
  const stranger = server.withToken((await addTenant(server)).token);
  expect(await codeOf(list(stranger))).toBe('ENVIRONMENT_NOT_FOUND');
});
