import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Flag, Ruleset } from '@flagsvc/sdk-core';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStream } from '../../../test/stream.ts';
import { createRateLimiter } from '../../http/rate-limit.ts';
import { clientRuleset } from '../../publishing/compile.ts';
import { dataPlanePlugin } from '../plugin.ts';
import type { KeyGrant, RulesetNotice } from '../ports.ts';
import { createServingPath } from '../serving-path.ts';

let app: FastifyInstance;
let base: string;
let version: number;
let extra: Flag[];
let keys: Map<string, KeyGrant>;
let listeners: Set<(notice: RulesetNotice) => void>;
let keyWatchers: Set<(keyId: string | undefined) => void>;
let rotated: Set<string>;
let forget: (apiKey: string) => void;

const rulesetOf = (number: number): Ruleset => ({
  ...createTestRuleset({}, number),
  environment_id: 'env_1',
  flags: [...extra, createTestFlag('secret', true), { ...createTestFlag('shown', true), client_side: true }],
});
const publish = (changedFlags: readonly string[]): void => {
  version += 1;
  for (const listener of listeners) {
    listener({ environmentId: 'env_1', version, etag: `W/"${version}"`, changedFlags });
  }
};
const grantOf = (keyId: string, kind: KeyGrant['kind']): KeyGrant => ({
  keyId,
  kind,
  environmentId: 'env_1',
  projectId: 'prj_1',
  organizationId: 'org_1',
});

async function start(streams: object = {}, options: object = {}): Promise<void> {
  app = Fastify(options);
  await app.register(dataPlanePlugin, {
    limiter: createRateLimiter({ limits: { stream: 20 } }),
    now: () => Date.parse('2026-11-20T10:00:00.000Z'),
    streams,
    lookup: {
      authenticate: (apiKey) => keys.get(apiKey),
      current: ({ kind }) => {
        const ruleset = rulesetOf(version);
        return createServingPath({ fast: true }).prepare(
          kind === 'client' ? clientRuleset(ruleset) : ruleset,
          'epoch',
        );
      },
      subscribe(_environmentId, listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      watchKeys(listener) {
        keyWatchers.add(listener);
        return () => void keyWatchers.delete(listener);
      },
      isRotated: async ({ keyId }) => rotated.has(keyId),
    },
    sink: { accept: () => ({ batch_id: '', accepted: 0, duplicates: 0, rejected: [] }) },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

beforeEach(() => {
  version = 7;
  extra = [];
  listeners = new Set();
  keyWatchers = new Set();
  rotated = new Set();
  keys = new Map([
    ['server', grantOf('key_1', 'server')],
    ['client', grantOf('key_2', 'client')],
  ]);
  forget = (apiKey) => {
    keys.delete(apiKey);
    for (const watcher of keyWatchers) watcher(undefined);
  };
});
afterEach(() => app.close());

const open = (apiKey = 'server', headers: Record<string, string> = {}, query = '') =>
  openStream(`${base}/sdk/stream${query}`, { 'x-api-key': apiKey, ...headers });

test('sends the current version at once to clients that do not have it', async () => {
  await start();
  for (const headers of [{}, { 'last-event-id': '6' }, { 'last-event-id': '9' }]) {
    const stream = await open('server', headers);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.headers.get('x-ratelimit-limit')).toBe('20');
    const { event, id, data } = await stream.next();
    expect([event, id]).toEqual(['ruleset.updated', '7']);
    expect(data).toEqual({
      environment_id: 'env_1',
      version: 7,
      etag: expect.stringMatching(/^W\/"7-[0-9a-f]{16}"$/),
      changed_flags: [],
      refetch_within_ms: 0,
    });
    stream.close();
  }
});

test('starts with a heartbeat for clients that have the current version', async () => {
  await start();
  for (const stream of [
    await open('server', { 'last-event-id': '7' }),
    await open('server', {}, '?last_version=7'),
  ]) {
    const { event, data } = await stream.next();
    expect(event).toBe('heartbeat');
    expect(data).toMatchObject({ version: 7, server_time: '2026-11-20T10:00:00.000Z' });
    stream.close();
  }
});

test('notifies of one change at once, and of all changes in the next 100 ms together', async () => {
  await start();
  const stream = await open();
  await stream.next();
  publish(['secret']);
  expect((await stream.next()).data).toMatchObject({ version: 8, changed_flags: ['secret'] });
  publish(['secret']);
  publish(['shown']);
  publish(['secret']);
  expect((await stream.next()).data).toMatchObject({ version: 11, changed_flags: ['secret', 'shown'] });
  publish([]);
  publish(['shown']);
  expect((await stream.next()).data).toMatchObject({ version: 13, changed_flags: [] });
  await wait(150);
  expect(stream.waiting()).toBe(0);
});

test('includes a small ruleset on request, with only client-side flags for client keys', async () => {
  await start();
  const [server, visitor] = [await open('server', {}, '?mode=full'), await open('client', {}, '?mode=full')];
  for (const stream of [server, visitor]) expect((await stream.next()).event).toBe('ruleset.updated');
  publish(['secret', 'shown']);
  const [all, some] = [await server.next(), await visitor.next()];
  expect([all.event, all.id]).toEqual(['ruleset.snapshot', '8']);
  const fetched = await fetch(`${base}/sdk/ruleset`, { headers: { 'x-api-key': 'server' } });
  expect(all.data).toEqual({
    environment_id: 'env_1',
    version: 8,
    etag: fetched.headers.get('etag'),
    changed_flags: ['secret', 'shown'],
    ruleset: ((await fetched.json()) as { data: Ruleset }).data,
  });
  expect(some.data.ruleset.flags.map(({ key }: { key: string }) => key)).toEqual(['shown']);
});

test('does not include a large ruleset', async () => {
  await start();
  const stream = await open('server', {}, '?mode=full');
  await stream.next();
  extra = [createTestFlag('large', 'x'.repeat(64 * 1024))];
  publish(['large']);
  expect((await stream.next()).event).toBe('ruleset.updated');
  extra = [];
  publish(['large']);
  expect((await stream.next()).event).toBe('ruleset.snapshot');
});

test('hides the names of flags that client keys do not see', async () => {
  await start();
  const [visitor, server] = [await open('client'), await open('server')];
  const first = await visitor.next();
  expect((await server.next()).data.etag).not.toBe(first.data.etag);
  publish(['secret', 'shown']);
  expect((await visitor.next()).data.changed_flags).toEqual(['shown']);
  expect((await server.next()).data.changed_flags).toEqual(['secret', 'shown']);
});

test('keeps streams alive by comments and heartbeats', async () => {
  await start({ keepAliveMs: 30 });
  const stream = await open();
  await stream.next();
  const { event, data } = await stream.next();
  expect(event).toBe('heartbeat');
  expect(data.etag).toMatch(/^W\/"7-/);
  expect(stream.comments()).toBeGreaterThanOrEqual(3);
});

test('sends goodbye to the streams of a revoked key, and to no others', async () => {
  await start();
  keys.set('other', grantOf('key_3', 'server'));
  const [stream, other] = [await open('server'), await open('other')];
  await stream.next();
  await other.next();
  forget('server');
  const { event, data } = await stream.next();
  expect(event).toBe('goodbye');
  expect(data).toEqual({ reason: 'key_revoked', retry_ms: expect.any(Number) });
  expect(await stream.ended).toBe(true);
  expect((await open('server')).status).toBe(401);
  publish([]);
  expect((await other.next()).event).toBe('ruleset.updated');
});

test('sends goodbye with the reason "rotated" to streams of an old secret', async () => {
  await start();
  const stream = await open('server');
  await stream.next();
  rotated.add('key_1');
  forget('server');
  const { event, data } = await stream.next();
  expect(event).toBe('goodbye');
  expect(data).toEqual({ reason: 'rotated', retry_ms: expect.any(Number) });
  expect(await stream.ended).toBe(true);
});

test('enforces the origins and addresses of a key', async () => {
  await start();
  keys.set('page', { ...grantOf('key_4', 'client'), allowedOrigins: ['https://shop.example'] });
  keys.set('office', { ...grantOf('key_5', 'server'), allowedIps: ['192.0.2.0/24', '::1'] });
  keys.set('local', { ...grantOf('key_6', 'server'), allowedIps: ['2001:db8::/32', '127.0.0.1'] });
  const evil = await open('page', { origin: 'https://evil.example' });
  expect([evil.status, (await evil.body()).error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  expect((await open('page', { origin: 'https://shop.example' })).status).toBe(200);
  expect((await open('page')).status).toBe(200);
  const outside = await open('office');
  expect([outside.status, (await outside.body()).error.code]).toEqual([403, 'IP_NOT_ALLOWED']);
  expect((await open('local')).status).toBe(200);
});

test('accepts relays at their own path, for the environments of their keys only', async () => {
  await start();
  keys.set('relay', grantOf('key_7', 'relay'));
  const openRelay = (apiKey: string, query = '') =>
    openStream(`${base}/relay/stream${query}`, { 'x-api-key': apiKey });
  for (const query of ['', '?environment_ids=env_1', '?environment_ids=env_1&last_version=6']) {
    const stream = await openRelay('relay', query);
    expect([stream.status, (await stream.next()).data.version]).toEqual([200, 7]);
    stream.close();
  }
  for (const kind of ['server', 'client']) {
    const refused = await openRelay(kind);
    const { code, details } = (await refused.body()).error;
    expect([refused.status, code, details]).toEqual([
      403,
      'KEY_KIND_NOT_ALLOWED',
      { kind, allowed: ['relay'] },
    ]);
  }
  const elsewhere = await openRelay('relay', '?environment_ids=env_1,env_2');
  const { code, details } = (await elsewhere.body()).error;
  expect([elsewhere.status, code, details]).toEqual([
    404,
    'ENVIRONMENT_NOT_FOUND',
    { field: 'environment_ids', environment_id: 'env_2' },
  ]);
});

test('ends the streams of a key that expires', async () => {
  await start({ keepAliveMs: 15 });
  const stream = await open();
  await stream.next();
  keys.delete('server');
  expect((await stream.next()).data.reason).toBe('key_revoked');
});

test('sends goodbye to every stream when the server stops, without delaying the stop', async () => {
  await start();
  const streams = await Promise.all([open(), open('client'), open()]);
  for (const stream of streams) await stream.next();
  const closed = app.close();
  const waits = new Set<number>();
  for (const stream of streams) {
    const { event, data } = await stream.next();
    expect([event, data.reason]).toEqual(['goodbye', 'shutdown']);
    waits.add(data.retry_ms);
  }
  expect(waits.size).toBe(3);
  await closed;
  expect(listeners.size + keyWatchers.size).toBe(0);
});

test('limits the open streams of a key and of an environment', async () => {
  await start({ maxPerKey: 2, maxPerEnvironment: 3 });
  keys.set('other', grantOf('key_3', 'server'));
  const [first] = [await open(), await open()];
  const refused = await open();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect((await refused.body()).error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { scope: 'key', limit: 2 },
  });
  expect((await open('other')).status).toBe(200);
  expect((await (await open('other')).body()).error.details.scope).toBe('environment');
  // Client keys count separately.
  expect((await open('client')).status).toBe(200);
  await first!.next();
  first!.close();
  await expect.poll(async () => (await open()).status).toBe(200);
});

/** Opens a stream without reading it, and publishes until more bytes wait than the server allows. */
async function stall(): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  socket.write('GET /sdk/stream HTTP/1.1\r\nhost: x\r\nx-api-key: server\r\n\r\n');
  await expect.poll(() => listeners.size).toBe(1);
  const names = Array.from({ length: 100 }, (_, index) => `flag-${index}-${'x'.repeat(200)}`);
  for (let round = 0; round < 2_000 && listeners.size > 0; round++) {
    publish(names);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(listeners.size).toBe(0);
  return socket;
}

test('sends goodbye to a client that reads too slowly, and lets it reconnect after 30 to 60 s', async () => {
  await start({ maxBufferedBytes: 20_000, coalesceMs: 0 });
  const socket = await stall();
  let text = '';
  socket.on('data', (bytes) => {
    text = (text + bytes.toString()).slice(-500);
  });
  socket.resume();
  await expect.poll(() => text, { timeout: 5_000 }).toMatch(/event: goodbye\ndata: .*\n\n/);
  const { reason, retry_ms } = JSON.parse(/event: goodbye\ndata: (.*)\n/.exec(text)![1]!);
  expect(reason).toBe('overload');
  expect(retry_ms).toBeGreaterThanOrEqual(30_000);
  expect(retry_ms).toBeLessThanOrEqual(60_000);
  socket.destroy();
});

test('cuts the connection of a client that does not read its goodbye', async () => {
  // Larger than the socket buffers, so that the goodbye cannot be sent.
  await start({ maxBufferedBytes: 1_000_000, coalesceMs: 0, lingerMs: 50 });
  const connections = () => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
  const socket = await stall();
  expect(await connections()).toBe(1);
  await expect.poll(connections).toBe(0);
  socket.destroy();
});

test('refuses invalid versions, invalid keys and too many connections per minute', async () => {
  // After an abort, `fetch` opens a spare connection, which would keep the server from closing.
  await start({}, { forceCloseConnections: true });
  const odd = await open('server', {}, '?last_version=x');
  expect(odd.status).toBe(400);
  expect((await odd.body()).error.code).toBe('VALIDATION_ERROR');
  expect((await open('unknown')).status).toBe(401);
  for (let count = 0; count < 19; count++) {
    const stream = await open();
    await stream.next();
    stream.close();
  }
  const refused = await open();
  expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '0']);
});
