import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createNodeClient, type NodeClient } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from './api.ts';
import { codeOf } from './api-call.ts';
import { booleanFlag, startServer, type TestServer } from './server.ts';
import { openStream } from './stream.ts';

const user = { user_key: 'u1' };
let server: TestServer;
let api: Api;
let client: NodeClient;
let flagId: string;
let keyId: string;
let apiKey: string;
let baseUrl: string;

beforeEach(async () => {
  // The stream sends a heartbeat every 200 ms, and checks the API key again each time.
  server = await startServer({ streams: { keepAliveMs: 50 } });
  api = server.as('admin');
  flagId = (await api.flags.create(booleanFlag('dark-mode', { default_variation: 'off' }))).id;
  const created = await api.apiKeys.create(server.environments.production, { name: 'streaming' });
  keyId = created.id;
  apiKey = created.key!;
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}/api/v1`;
  client = createNodeClient({ apiKey, baseUrl, streaming: true, logger: false, retryBaseMs: 20 });
});
afterEach(async () => {
  await client.close({ timeoutMs: 0 });
  await server.close();
});

test('a streaming client serves a change long before its next poll', async () => {
  await client.ready();
  await wait(100);
  const rule = { priority: 1, name: 'all', conditions: [], variation: 'on' };
  await api.flags.update(flagId, { targeting_rules: [rule] });
  for (const enabled of [true, false, true]) {
    await api.flags.toggle(flagId, enabled);
    await expect
      .poll(() => client.flag('dark-mode', user, !enabled), { timeout: 2_000, interval: 5 })
      .toBe(enabled);
  }
});

const rotate = (grace_minutes: number) => api.apiKeys.rotate(keyId, { grace_minutes });
const endings: readonly [event: string, reason: string, end: () => Promise<unknown>][] = [
  ['is revoked', 'key_revoked', () => api.apiKeys.revoke(keyId)],
  ['is rotated without a grace period', 'rotated', () => rotate(0)],
  [
    'was rotated and its grace period ends',
    'rotated',
    async () => {
      await rotate(10);
      server.advance(11 * 60_000);
    },
  ],
  [
    'is revoked within its grace period',
    'key_revoked',
    async () => {
      await rotate(10);
      await api.apiKeys.revoke(keyId);
    },
  ],
];

test.each(endings)(
  'when a key %s, its stream ends with %s and clients keep their flags',
  async (_, reason, end) => {
    await client.ready();
    const stream = await openStream(`${baseUrl}/sdk/stream`, { 'x-api-key': apiKey });
    const before = client.flagDetails('dark-mode', user, true);
    await end();
    let event = await stream.next();
    while (event.event !== 'goodbye') event = await stream.next();
    expect(event.data.reason).toBe(reason);
    expect(await stream.ended).toBe(true);
    expect(await codeOf(server.withKey(apiKey).dataPlane.ruleset())).toBe('INVALID_API_KEY');
    expect(client.flagDetails('dark-mode', user, true)).toEqual(before);
  },
);

test('a stream opened with the new secret continues when the old secret expires', async () => {
  const { key: newKey } = await rotate(10);
  const stream = await openStream(`${baseUrl}/sdk/stream`, { 'x-api-key': newKey! });
  server.advance(11 * 60_000);
  const events = [await stream.next(), await stream.next(), await stream.next()];
  expect(events.map(({ event }) => event)).toEqual(['ruleset.updated', 'heartbeat', 'heartbeat']);
  stream.close();
});
