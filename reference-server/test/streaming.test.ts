import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createNodeClient, type NodeClient } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

const user = { user_key: 'u1' };
let server: TestServer;
let client: NodeClient;
let flagId: string;
let key: { id: string; key: string };

beforeEach(async () => {
  server = await startServer();
  const environment = server.environments.production;
  const token = server.tokens.admin;
  const flag = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${environment}`,
    token,
    body: booleanFlag('dark-mode', { default_variation: 'off' }),
  });
  flagId = flag.body.data.id;
  const made = await server.call({
    method: 'POST',
    url: `/environments/${environment}/api-keys`,
    token,
    body: { name: 'streaming' },
  });
  key = made.body.data;
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  client = createNodeClient({
    apiKey: key.key,
    baseUrl: `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}/api/v1`,
    streaming: true,
    logger: false,
    retryBaseMs: 20,
  });
});
afterEach(async () => {
  await client.close({ timeoutMs: 0 });
  await server.close();
});

const write = (method: 'PUT' | 'POST' | 'DELETE', url: string, body?: object) =>
  server.call({ method, url, token: server.tokens.admin, ...(body && { body }) });

test('a change is served by a client of the stream long before it would poll', async () => {
  await client.ready();
  await wait(100);
  const url = `/flags/${flagId}`;
  const query = `?environment_id=${server.environments.production}`;
  const rule = { priority: 1, name: 'all', conditions: [], variation: 'on' };
  await write('PUT', `${url}${query}`, { targeting_rules: [rule] });
  for (const enabled of [true, false, true]) {
    await write('POST', `${url}/toggle${query}`, { enabled });
    await expect
      .poll(() => client.flag('dark-mode', user, !enabled), { timeout: 2_000, interval: 5 })
      .toBe(enabled);
  }
});

test('a client whose key is revoked hears of it, and goes on with what it has', async () => {
  await client.ready();
  await wait(100);
  const before = client.flagDetails('dark-mode', user, true);
  await write('DELETE', `/api-keys/${key.id}`);
  // The stream ends by a goodbye; what asks anew is refused, and polling finds the same.
  await wait(200);
  const refused = await server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key.key } });
  expect(refused.status).toBe(401);
  expect(client.flagDetails('dark-mode', user, true)).toEqual(before);
});
