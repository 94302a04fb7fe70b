import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createNodeClient, type NodeClient } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';
import { openStream } from './stream.ts';

const user = { user_key: 'u1' };
let server: TestServer;
let client: NodeClient;
let flagId: string;
let key: { id: string; key: string };
let baseUrl: string;

beforeEach(async () => {
  // A heartbeat every 200 ms, with which the key is asked for again.
  server = await startServer({ streams: { keepAliveMs: 50 } });
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
  baseUrl = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}/api/v1`;
  client = createNodeClient({
    apiKey: key.key,
    baseUrl,
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

const endings: readonly [what: string, reason: string, end: () => Promise<unknown>][] = [
  ['is revoked', 'key_revoked', () => write('DELETE', `/api-keys/${key.id}`)],
  ['is rotated without a grace', 'rotated', () => rotate(0)],
  [
    'is rotated, when its grace is over,',
    'rotated',
    async () => {
      await rotate(10);
      server.advance(11 * 60_000);
    },
  ],
  [
    'is revoked within its grace',
    'key_revoked',
    async () => {
      await rotate(10);
      await write('DELETE', `/api-keys/${key.id}`);
    },
  ],
];
const rotate = (grace_minutes: number) => write('POST', `/api-keys/${key.id}/rotate`, { grace_minutes });

test.each(endings)('a client whose key %s hears %s, and goes on with what it has', async (_, reason, end) => {
  await client.ready();
  const stream = await openStream(`${baseUrl}/sdk/stream`, { 'x-api-key': key.key });
  const before = client.flagDetails('dark-mode', user, true);
  await end();
  let event = await stream.next();
  while (event.event !== 'goodbye') event = await stream.next();
  expect(event.data.reason).toBe(reason);
  expect(await stream.ended).toBe(true);
  // What asks anew is refused, and polling finds the same.
  const refused = await server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key.key } });
  expect(refused.status).toBe(401);
  expect(client.flagDetails('dark-mode', user, true)).toEqual(before);
});

test('a client that has the new secret is told nothing of the one before', async () => {
  const { key: fresh } = (await rotate(10)).body.data;
  const stream = await openStream(`${baseUrl}/sdk/stream`, { 'x-api-key': fresh });
  server.advance(11 * 60_000);
  const events = [await stream.next(), await stream.next(), await stream.next()];
  expect(events.map(({ event }) => event)).toEqual(['ruleset.updated', 'heartbeat', 'heartbeat']);
  stream.close();
});
