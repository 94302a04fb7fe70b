import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startServer, type TestServer } from '../../test/server.ts';

const KIB = 1_024;
let server: TestServer;
let keys: Record<'server' | 'client', string>;

beforeAll(async () => {
  server = await startServer();
  const { apiKeys } = server.as('admin');
  const createKey = async (kind: 'server' | 'client') =>
    (await apiKeys.create(server.environments.development, { name: kind, kind })).key!;
  keys = { server: await createKey('server'), client: await createKey('client') };
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  // Loads the keys into memory before tests replace the timers.
  for (const key of Object.values(keys)) await post('/api/v1/sdk/events', '{', { 'x-api-key': key });
});
afterAll(() => server.close());
afterEach(() => void vi.restoreAllMocks().useRealTimers());

const JSON_TYPE = { 'content-type': 'application/json' };

function post(url: string, payload: string | Buffer | Readable, headers: Record<string, string> = {}) {
  return server.app.inject({ method: 'POST', url, payload, headers: { ...JSON_TYPE, ...headers } });
}

test.each([
  ['/api/v1/sdk/events', 15_000],
  ['/api/v1/evaluate', 15_000],
  ['/ofrep/v1/evaluate/flags', 15_000],
  ['/api/v1/auth/login', 15_000],
  ['/api/v1/projects', 60_000],
])('lets a body for %s arrive up to %i ms after its headers', async (url, milliseconds) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const payload = new Readable({ read() {} });
  payload.push('{');
  const authorization = `Bearer ${server.tokens.admin}`;
  const headers = url === '/api/v1/projects' ? { authorization } : { 'x-api-key': keys.server };
  let status: number | undefined;
  const answering = post(url, payload, headers).then((answer) => {
    status = answer.statusCode;
    return answer;
  });
  while (!timers.mock.calls.some(([, ms]) => ms === milliseconds)) await setImmediate();
  payload.push('"a":');
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(status).toBe(undefined);
  await vi.advanceTimersByTimeAsync(1);
  const answer = await answering;
  expect(answer.statusCode).toBe(408);
  expect(answer.headers.connection).toBe('close');
  const { code, message } = answer.json().error ?? {};
  if (!url.startsWith('/ofrep')) {
    const seconds = milliseconds / 1_000;
    expect({ code, message }).toEqual({
      code: 'REQUEST_TIMEOUT',
      message: `The body did not arrive within ${seconds} seconds.`,
    });
  }
});

test('leaves no timer behind, however a body ends', async () => {
  const send = async () => {
    await post('/api/v1/sdk/events', '{', { 'x-api-key': keys.server });
    await post('/api/v1/sdk/events', 'x'.repeat(100 * KIB), { 'x-api-key': keys.client });
    await post('/api/v1/sdk/events', 'x', { 'x-api-key': keys.client, 'content-encoding': 'br' });
  };
  // The first round starts the timers of other parts of the server, which keep running.
  await send();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await send();
  while (vi.getTimerCount() > 0) await setImmediate();
});

test.each([
  ['/api/v1/sdk/events', 'client', '64 KiB'],
  ['/api/v1/evaluate', 'client', '64 KiB'],
  ['/ofrep/v1/evaluate/flags', 'client', '64 KiB'],
  ['/api/v1/auth/login', 'client', '64 KiB'],
  ['/api/v1/sdk/events', 'server', '1 MiB'],
] as const)(
  'limits a body for %s with a %s key to %s, both as sent and after inflating',
  async (url, kind, size) => {
    const limit = size === '64 KiB' ? 64 * KIB : KIB * KIB;
    const key = { 'x-api-key': keys[kind] };
    const gzip = { ...key, 'content-encoding': 'gzip' };
    const padded = (length: number): Buffer => Buffer.from('{}'.padEnd(length, ' '));
    for (const [payload, headers] of [
      [padded(limit), key],
      [gzipSync(padded(limit)), gzip],
    ] as const)
      expect((await post(url, payload, headers)).statusCode).not.toBe(413);
    for (const [payload, headers] of [
      [padded(limit + 1), key],
      [Readable.from([padded(limit), ' ']), key],
      [gzipSync(padded(limit + 1)), gzip],
    ] as const) {
      const answer = await post(url, payload, headers);
      expect(answer.statusCode).toBe(413);
      expect(answer.payload).toContain(`The body is too large: the maximum is ${size}.`);
    }
  },
);

test('refuses more than 256 KiB of gzip on the data plane', async () => {
  const headers = { 'x-api-key': keys.server, 'content-encoding': 'gzip' };
  const answer = await post('/api/v1/sdk/events', Buffer.alloc(256 * KIB + 1), headers);
  expect(answer.statusCode).toBe(413);
  expect(answer.json().error).toMatchObject({
    message: 'The body is too large: the maximum of a gzipped body is 256 KiB.',
    details: { limit: 'body_gzip_bytes', maximum: 256 * KIB },
  });
});

test('refuses a body in thousands of small chunks and closes the connection', async () => {
  const socket = connect((server.app.server.address() as AddressInfo).port, '127.0.0.1');
  const head = `POST /api/v1/sdk/events HTTP/1.1\r\nHost: a\r\nX-API-Key: ${keys.client}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
  socket.write('1\r\n \r\n'.repeat(4_000));
  socket.write('400\r\n'.concat(' '.repeat(KIB), '\r\n').repeat(20));
  socket.write('1\r\n \r\n'.repeat(200));
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('The body arrived in more than 4096 small chunks; send larger ones.');
  if (!socket.destroyed) await once(socket, 'close');
});

test('accepts a body in chunks of any size', async () => {
  const batch = JSON.stringify({ batch_id: 'pieces', events: [], sdk: { name: 'é'.repeat(20 * KIB) } });
  const bytes = Buffer.from(batch);
  for (const size of [17, 1_000, 4_097, 65_536]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const answer = await post('/api/v1/sdk/events', Readable.from(pieces), { 'x-api-key': keys.server });
    expect([size, answer.statusCode]).toEqual([size, 202]);
  }
});
