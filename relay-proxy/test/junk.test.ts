/** A server, or something in its place, that answers nonsense: the relay keeps what it has and stays up. */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createSeededRandom } from '@flagsvc/sdk-core/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

/** How many answers the relay gets; `npm run test:relay` tries more. */
const ANSWERS = process.env['FLAGSVC_TEST_RELAY'] === 'all' ? 1_000 : 30;
const SEED = Number(process.env['FLAGSVC_SEED'] ?? 20_261_129);

// Each test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const LONG = 'x'.repeat(100_000);
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);
/** What `String` and `Number` cannot convert. */
const POISON = { toString: 1, valueOf: 1 };
const SHAPES: readonly unknown[] = [
  ...[null, 0, -1, 1e308, '', 'x', '\u4e2d', [], {}, POISON, [POISON], [[]], true, LONG],
  { __proto__: null, constructor: 1, length: 1e9 },
];
const STATUSES = [200, 200, 200, 200, 202, 204, 206, 301, 304, 400, 401, 403, 404, 413, 429, 500, 503];
const HEADERS: readonly (readonly [string, string])[] = [
  ['retry-after', '1'],
  ['retry-after', '-5'],
  ['retry-after', 'soon'],
  ['x-ratelimit-limit', '0'],
  ['x-ratelimit-limit', '-1'],
  ['x-ratelimit-remaining', '0'],
  ['x-ratelimit-reset', 'x'],
  ['etag', 'W/"1-x"'],
  ['etag', '\u00ff'],
  ['x-flagsvc-signature', 'a.b'],
  ['x-flagsvc-signature', '.'.repeat(8_000)],
  ['x-flagsvc-epoch', '\u00e9'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'br'],
  ['content-encoding', 'constructor'],
  ['content-type', 'text/event-stream'],
  ['content-type', 'text/event-stream'],
  ['location', '/elsewhere'],
];
const EVENTS = ['ruleset.updated', 'heartbeat', 'goodbye', 'keys.changed', 'toString', ''];
const FIELDS = ['etag', 'changed_flags', 'retry_ms', 'version', 'reason', 'environment_id'];

const random = createSeededRandom(SEED);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const shape = (): unknown => pick(SHAPES);
const objectOf = (fields: readonly string[]): object =>
  Object.fromEntries(fields.filter(() => random() < 0.8).map((field) => [field, shape()]));

const event = (): string => {
  const data = random() < 0.3 ? shape() : objectOf(FIELDS);
  return `id: ${pick(['', '\u4e2d', '7', LONG])}\nevent: ${pick(EVENTS)}\ndata: ${JSON.stringify(data)}\n\n`;
};
const stream = (): string =>
  Array.from({ length: 20 }, event).join(pick(['', ': \n', '\ufeff', '\r\r\r', LONG]));
/** Like the answer about keys; none of them says that a key is invalid, which would be no nonsense. */
const keys = (): object => {
  const active = {
    status: pick(['active', POISON, null]),
    ...objectOf(['key_id', 'kind', 'allowed_ips', 'allowed_origins', 'rate_limits']),
  };
  const ids = { environment_id: 'env_other', project_id: 'p', organization_id: 'o' };
  return {
    data: {
      ...ids,
      ...objectOf(['environment_id', 'project_id']),
      keys: Array(pick([1, 2, 3])).fill(active),
    },
  };
};
const rulesetLike = (): object => ({
  data: {
    ...objectOf(['version', 'environment_id', 'flags', 'segments']),
    ...(random() < 0.5 && { version: 99, flags: [shape()], segments: [] }),
  },
});
const BODIES: readonly (() => string)[] = [
  stream,
  stream,
  () => JSON.stringify(keys()),
  () => JSON.stringify(rulesetLike()),
  () => JSON.stringify({ keys: [{ x: shape() }, shape()] }),
  () => JSON.stringify({ data: shape(), error: shape() }),
  () => JSON.stringify(shape()),
  () => '['.repeat(200_000),
  () => '{"data":',
  () => `{"data":{"version":99,"environment_id":"${upstream.environmentId}","segments":[],"flags":${DEEP}}}`,
  () => '<html>',
];

let answered = 0;
const answer = (response: ServerResponse): void => {
  answered += 1;
  const status = pick(STATUSES);
  const headers = Object.fromEntries(Array.from({ length: 3 }, () => pick(HEADERS)));
  const text = pick(BODIES)();
  const body = pick([Buffer.from(text), Buffer.from(text), gzipSync(text), brotliCompressSync(text)]);
  if (random() < 0.05) return void response.socket?.resetAndDestroy();
  if (random() < 0.05)
    return void response.socket?.end(
      Buffer.from(`HTTP/1.1 ${pick(['101 x', '200', 'x', '99999 x'])}\r\n\r\n${text}`),
    );
  response.writeHead(status, headers);
  if (random() < 0.1) response.write(body, () => response.socket?.resetAndDestroy());
  else response.end(body);
};
const nonsense = createServer((request, response) => {
  request.resume().on('error', () => {});
  response.on('error', () => {});
  setTimeout(() => answer(response), 5);
});

let upstream: UpstreamServer;
let relay: RelayProcess;
let serverKey: string;
let good: string;
beforeAll(async () => {
  upstream = await startUpstream(2);
  const { relay: relayKey, server } = await upstream.createKeys();
  serverKey = server;
  await new Promise<void>((resolve) => nonsense.listen(0, '127.0.0.1', resolve));
  relay = await startRelay(
    { FLAGSVC_RELAY_UPSTREAM_URL: upstream.url, FLAGSVC_RELAY_KEYS: relayKey },
    'accelerated-relay.ts',
  );
  await relay.ready();
  good = (await ruleset()).text;
});
afterAll(async () => {
  nonsense.closeAllConnections();
  nonsense.close();
  await relay?.close();
  await upstream?.close();
});

const ruleset = (origin = relay.url()) => ask(`${origin}/api/v1/sdk/ruleset`, serverKey);
const sendEvents = () => {
  const event = { type: 'track', id: randomUUID(), timestamp: new Date().toISOString(), user_key: 'u' };
  const body = { batch_id: randomUUID(), events: [{ ...event, event_name: 'seen' }] };
  return ask(`${relay.url()}/api/v1/sdk/events`, serverKey, { body });
};

test(`serves the good ruleset and takes events while the server answers nonsense, seed ${SEED}`, async () => {
  await relay.kill();
  await relay.start({
    FLAGSVC_RELAY_UPSTREAM_URL: `http://127.0.0.1:${(nonsense.address() as AddressInfo).port}`,
  });
  const pid = relay.pid();
  while (answered < ANSWERS) {
    expect((await ruleset()).text).toBe(good);
    expect((await sendEvents()).status).toBe(202);
    await wait(20);
  }
  expect(relay.pid()).toBe(pid);
  await relay.kill();
  await relay.start();
  const { id, enabled } = await upstream.admin.flags.getByKey('flag-0');
  await upstream.admin.flags.toggle(id, !enabled);
  const newest = (await ruleset(upstream.url)).text;
  await expect.poll(async () => (await ruleset()).text, { timeout: 40_000 }).toBe(newest);
});
