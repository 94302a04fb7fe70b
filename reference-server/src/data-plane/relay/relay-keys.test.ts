import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../test/api.ts';
import { codeOf } from '../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../test/server.ts';
import { type OpenStream, openStream } from '../../../test/stream.ts';

let server: TestServer;
let api: Api;
let relay: Api;
let relayKey: string;

beforeEach(async () => {
  server = await startServer({});
  api = server.as('admin').in(server.environments.production);
  relayKey = (await create({ kind: 'relay' })).key;
  relay = server.withKey(relayKey);
});
afterEach(() => server.close());

async function create(
  options: { readonly kind?: 'server' | 'client' | 'relay' } & Record<string, unknown> = {},
  environmentId = server.environments.production,
): Promise<{ readonly id: string; readonly key: string }> {
  const { id, key } = await api.apiKeys.create(environmentId, { name: 'k', ...options });
  return { id, key: key! };
}

const describeKeys = async (...keys: readonly string[]) =>
  (await relay.dataPlane.describeRelayKeys({ keys: [...keys] })).keys;

test('describes the active keys of its environment in the order of the request', async () => {
  const page = await create({
    kind: 'client',
    allowed_origins: ['https://shop.example.com'],
    allowed_ips: ['10.0.0.0/8'],
    rate_limits: { evaluation: 50 },
    expires_at: '2026-12-01T00:00:00.000Z',
  });
  const plain = await create();
  expect(await relay.dataPlane.describeRelayKeys({ keys: [plain.key, relayKey, page.key] })).toEqual({
    environment_id: server.environments.production,
    project_id: server.projectId,
    organization_id: server.organizationId,
    keys: [
      {
        status: 'active',
        key_id: plain.id,
        kind: 'server',
        expires_at: null,
        allowed_origins: [],
        allowed_ips: [],
        rate_limits: {},
      },
      expect.objectContaining({ status: 'active', kind: 'relay' }),
      {
        status: 'active',
        key_id: page.id,
        kind: 'client',
        expires_at: '2026-12-01T00:00:00.000Z',
        allowed_origins: ['https://shop.example.com'],
        allowed_ips: ['10.0.0.0/8'],
        rate_limits: { evaluation: 50 },
      },
    ],
  });
});

test('says nothing about unknown, revoked and expired keys and keys of other environments', async () => {
  const elsewhere = await create({}, server.environments.staging);
  const revoked = await create();
  await api.apiKeys.revoke(revoked.id);
  const brief = await create({ expires_at: '2026-11-20T10:05:00.000Z' });
  expect(await describeKeys(brief.key)).toMatchObject([{ status: 'active' }]);
  server.advance(5 * 60_000);
  expect(await describeKeys('', 'none', `${relayKey}x`, elsewhere.key, revoked.key, brief.key)).toEqual(
    Array.from({ length: 6 }, () => ({ status: 'invalid' })),
  );
});

test('a rotated secret is active until its grace period ends, and rotated from then on', async () => {
  const { id, key } = await create();
  await api.apiKeys.rotate(id, { grace_minutes: 10 });
  const [during] = await describeKeys(key);
  expect(during).toMatchObject({ status: 'active', key_id: id, expires_at: expect.stringMatching(/T10:1/) });
  server.advance(11 * 60_000);
  expect(await describeKeys(key)).toEqual([{ status: 'rotated' }]);
  await api.apiKeys.revoke(id);
  expect(await describeKeys(key)).toEqual([{ status: 'invalid' }]);
});

test('is only for relays, and takes 1 to 100 keys', async () => {
  const { key } = await create();
  expect(await codeOf(server.withKey(key).dataPlane.describeRelayKeys({ keys: [key] }))).toBe(
    'KEY_KIND_NOT_ALLOWED',
  );
  const ofMany = (count: number) =>
    codeOf(relay.dataPlane.describeRelayKeys({ keys: Array.from({ length: count }, () => 'x') }));
  expect([await ofMany(0), await ofMany(101)]).toEqual(['VALIDATION_ERROR', 'LIMIT_EXCEEDED']);
  expect(await describeKeys(...Array.from({ length: 100 }, (_, index) => `x${index}`))).toHaveLength(100);
});

test('does not use up the ruleset fetches of the relay', async () => {
  await server.close();
  server = await startServer({ limits: { ruleset: 2 } });
  api = server.as('admin').in(server.environments.production);
  relay = server.withKey((await create({ kind: 'relay' })).key);
  for (let count = 0; count < 2; count++) await describeKeys('x');
  expect(await codeOf(relay.dataPlane.describeRelayKeys({ keys: ['x'] }))).toBe('RATE_LIMIT_EXCEEDED');
  expect(await codeOf(relay.dataPlane.ruleset())).toBe('OK');
});

test('a relay fetches what page keys see, with the tag and the signature of page keys, and the epoch', async () => {
  await api.flags.create(booleanFlag('banner', { client_side: true }));
  await api.flags.create(booleanFlag('secret'));
  const page = await create({ kind: 'client' });
  const fetchRuleset = (apiKey: string, query = '') =>
    server.call({ url: `/sdk/ruleset${query}`, headers: { 'x-api-key': apiKey } });
  const seen = await fetchRuleset(page.key);
  const fetched = await fetchRuleset(relayKey, '?view=client');
  expect(fetched.body).toEqual(seen.body);
  for (const name of ['etag', 'x-flagsvc-signature']) {
    expect(fetched.headers[name]).toMatch(/./);
    expect(fetched.headers[name]).toBe(seen.headers[name]);
  }
  const whole = await fetchRuleset(relayKey);
  expect(whole.body.data.flags).toHaveLength(2);
  expect(whole.headers['x-flagsvc-epoch']).toMatch(/./);
  expect(fetched.headers['x-flagsvc-epoch']).toBe(whole.headers['x-flagsvc-epoch']);
  expect(seen.headers).not.toHaveProperty('x-flagsvc-epoch');
  expect((await fetchRuleset(page.key, '?view=client')).body.error).toMatchObject({
    code: 'KEY_KIND_NOT_ALLOWED',
    details: { kind: 'client', allowed: ['relay'] },
  });
  expect((await fetchRuleset(relayKey, '?view=server')).body.error.code).toBe('VALIDATION_ERROR');
});

test('tells relays at once of keys that were revoked or changed, and others not', async () => {
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}/api/v1`;
  const { id, key } = await create();
  const other = await create({}, server.environments.staging);
  const open = async (path: string, apiKey: string): Promise<OpenStream> => {
    const stream = await openStream(`${base}${path}`, { 'x-api-key': apiKey });
    await stream.next();
    return stream;
  };
  const streams = [
    await open('/relay/stream', relayKey),
    await open('/relay/stream?mode=full', relayKey),
    await open('/sdk/stream', relayKey),
  ];
  await describeKeys(key, other.key);
  await server.withKey(other.key).dataPlane.ruleset();
  await api.apiKeys.update(other.id, { name: 'renamed' });
  await api.apiKeys.revoke(id);
  for (const stream of streams.slice(0, 2)) {
    expect(await stream.next()).toMatchObject({ event: 'keys.changed', data: { key_id: id } });
    expect(await describeKeys(key)).toEqual([{ status: 'invalid' }]);
  }
  expect(streams.map((stream) => stream.waiting())).toEqual([0, 0, 0]);
  for (const stream of streams) stream.close();
});
