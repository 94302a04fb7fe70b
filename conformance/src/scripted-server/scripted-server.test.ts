import { get as getSecurely } from 'node:https';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadScenarios } from '../scenarios/load.ts';
import { suiteDirectory } from '../suite/suite.ts';
import { FAULTS, type Reply } from './replies.ts';
import { createScriptedServer, type ScriptedServer } from './scripted-server.ts';
import { TLS_FAULTS } from './tls-faults.ts';

let server: ScriptedServer;
let later: (() => void)[];
beforeEach(async () => {
  later = [];
  server = await createScriptedServer({
    after: (_ms, action) => void later.push(action),
    now: () => 7,
    wallMs: () => Date.UTC(2026, 0, 1),
  });
});
afterEach(() => server.close());

const get = (path = '/sdk/ruleset', headers: Record<string, string> = {}) =>
  fetch(`${server.baseUrl}${path}`, { headers: { 'x-api-key': 'k', ...headers }, redirect: 'manual' });

/** How long a connection must stay open to count as held. */
const HELD_MS = 100;

/** What a plain socket receives, and how the connection ends: `open` if the server keeps it open after `isComplete`. */
const receive = (isComplete?: (text: string) => boolean): Promise<{ text: string; end: string }> =>
  new Promise((resolve) => {
    const { hostname, port, pathname } = new URL(`${server.baseUrl}/sdk/ruleset`);
    const socket = connect(Number(port), hostname);
    let text = '';
    let end = 'ended';
    let held: NodeJS.Timeout | undefined;
    const checkComplete = (): void => {
      if (held === undefined && isComplete?.(text)) held = setTimeout(stop, HELD_MS);
    };
    const stop = (): void => {
      end = 'open';
      socket.destroy();
    };
    socket.on('connect', checkComplete);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      checkComplete();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      end = error.code ?? 'error';
    });
    socket.on('close', () => {
      clearTimeout(held);
      resolve({ text, end });
    });
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\n\r\n`);
  });

test('has one queue of replies per endpoint and repeats the last reply', async () => {
  server.queue('ruleset', [{ status: 500 }, { etag: '"a"', body: { flags: { f: 'v1' } } }]);
  expect((await get()).status).toBe(500);
  for (let time = 0; time < 2; time++) {
    const answer = await get();
    expect(answer.headers.get('etag')).toBe('"a"');
    expect(await answer.json()).toMatchObject({
      data: { flags: [{ key: 'f', default_variation: 'served' }] },
    });
  }
  server.queue('ruleset', [{ status: 304 }]);
  expect((await get()).status).toBe(304);
  expect((await get('/sdk/events')).status).toBe(404);
});

test('records every request', async () => {
  server.queue('events', [{ status: 202 }]);
  await fetch(`${server.baseUrl}/sdk/events?x=1`, {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'x-api-key': 'k' },
  });
  expect(server.requests).toMatchObject([
    { endpoint: 'events', method: 'POST', path: '/api/v1/sdk/events?x=1', body: { a: 1 }, key: 'k', at: 7 },
  ]);
});

test('has separate replies for one key', async () => {
  server.queue('ruleset', [{ status: 401 }], 'mine');
  server.queue('ruleset', [{ status: 200 }]);
  expect((await get('/sdk/ruleset', { 'x-api-key': 'mine' })).status).toBe(401);
  expect((await get()).status).toBe(200);
});

test('answers 304 to its own tag if the reply is conditional', async () => {
  server.queue('ruleset', [{ etag: '"a"', conditional: true, body: { flags: {} } }]);
  expect((await get()).status).toBe(200);
  expect((await get('/sdk/ruleset', { 'if-none-match': '"a"' })).status).toBe(304);
});

const V1: Reply = { body: { flags: { f: 'v1' } } };
test.each<[string, Reply, { text?: RegExp; end: string }]>([
  ['reset', { fault: 'reset' }, { text: /^$/, end: 'ECONNRESET' }],
  ['close', { fault: 'close' }, { text: /^$/, end: 'ended' }],
  ['stall', { fault: 'stall' }, { text: /^$/, end: 'open' }],
  ['reset-headers', { fault: 'reset-headers' }, { end: 'ECONNRESET' }],
  [
    'stall-headers',
    { fault: 'stall-headers' },
    { text: /^HTTP\/1\.1 200 OK\r\n.*etag: "part$/s, end: 'open' },
  ],
  ['reset-body', { ...V1, fault: 'reset-body' }, { end: 'ECONNRESET' }],
  ['stall-body', { ...V1, fault: 'stall-body' }, { text: /\r\n\r\n\{"data"[^}]*$/s, end: 'open' }],
  ['cut', { ...V1, fault: 'cut' }, { text: /content-length: \d{3}.*\{"data"[^}]*$/s, end: 'ended' }],
  [
    'cut-chunked',
    { ...V1, fault: 'cut-chunked' },
    { text: /chunked.*\{"data"(?!.*\r\n0\r\n)/s, end: 'ended' },
  ],
  [
    'short-length',
    { ...V1, fault: 'short-length' },
    { text: /content-length: 1\d\d.*fetched_at/s, end: 'ended' },
  ],
  ['not-http', { fault: 'not-http' }, { text: /^this is not HTTP/, end: 'ended' }],
  ['split', { text: '"é"', fault: 'split' }, { text: /1\r\n\xc3\r\n1\r\n\xa9\r\n/, end: 'open' }],
])('sends the fault %s', async (_name, reply, { text, end }) => {
  server.queue('ruleset', [reply]);
  const got = await receive(end === 'open' ? (received) => text!.test(received) : undefined);
  expect(got.end).toBe(end);
  if (text) expect(got.text).toMatch(text);
});

test('compresses correctly and incorrectly', async () => {
  server.queue('ruleset', [
    { ...V1, fault: 'gzip' },
    { ...V1, fault: 'cut-gzip' },
    { ...V1, fault: 'bad-gzip' },
  ]);
  expect(await (await get()).json()).toMatchObject({ data: { version: 1 } });
  // `fetch` may return a part of the body; what matters is that it fails in the end.
  await expect(get().then((answer) => answer.json())).rejects.toThrow();
  await expect(get().then((answer) => answer.text())).rejects.toThrow();
});

test('drips and delays in scenario time', async () => {
  server.queue('ruleset', [{ text: 'abc', fault: 'drip', bytes: 1, everyMs: 1_000, delayMs: 5_000 }]);
  const answer = get().then((reply) => reply.text());
  await expect.poll(() => later.length).toBe(1);
  expect(server.held()).toBe(1);
  for (let time = 0; time < 3; time++) {
    await expect.poll(() => later.length).toBe(1);
    later.shift()!();
  }
  expect(await answer).toBe('abc');
});

test('fills dates into headers', async () => {
  server.queue('ruleset', [
    { status: 429, headers: { 'retry-after': { $date: 60_000 }, 'x-ratelimit-reset': { $unix: 1_500 } } },
  ]);
  const { headers } = await get();
  expect(headers.get('retry-after')).toBe('Thu, 01 Jan 2026 00:01:00 GMT');
  expect(headers.get('x-ratelimit-reset')).toBe('1767225602');
});

test('stops and restarts at the same address', async () => {
  server.queue('ruleset', [{ status: 200 }]);
  await server.down();
  await expect(get()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  await server.up();
  expect((await get()).status).toBe(200);
});

test('notices that two requests of one client overlap', async () => {
  server.queue('ruleset', [{ fault: 'stall' }, { status: 200 }]);
  void get().catch(() => {});
  await expect.poll(() => server.requests.length).toBe(1);
  await get();
  await get('/sdk/ruleset', { 'x-api-key': 'other' });
  expect(server.requests.map(({ overlapping }) => overlapping)).toEqual([false, true, false]);
});

test('pushes to a stream', async () => {
  server.queue('stream', [{ text: ': hello\n\n' }]);
  const answer = await get('/sdk/stream');
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const reader = answer.body!.getReader();
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
  expect(await read()).toBe(': hello\n\n');
  expect(server.held()).toBe(1);
  server.push(Buffer.from('data: x\n\n'));
  expect(await read()).toBe('data: x\n\n');
  server.push(undefined);
  expect((await reader.read()).done).toBe(true);
});

test('has servers with TLS faults', async () => {
  const expired = await server.baseUrlOf('expired');
  await expect(fetch(expired)).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/CERT_HAS_EXPIRED|SELF_SIGNED/) },
  });
  expect(server.requests).toEqual([]);
  await new Promise((resolve) =>
    getSecurely(`${expired}/sdk/ruleset`, { rejectUnauthorized: false }, (answer) =>
      answer.resume().once('end', resolve),
    ),
  );
  expect(server.requests).toMatchObject([{ endpoint: 'elsewhere', path: '/api/v1/sdk/ruleset' }]);
  const socket = connect(Number(new URL(await server.baseUrlOf('slow-tls')).port), '127.0.0.1');
  socket.write('hello');
  await expect.poll(() => server.held()).toBe(1);
  socket.destroy();
  await expect.poll(() => server.held()).toBe(0);
});

test('has only faults that a scenario uses', () => {
  const text = JSON.stringify(loadScenarios(suiteDirectory()).scenarios);
  const unused = FAULTS.filter((fault) => !text.includes(`"fault":"${fault}"`));
  expect(unused).toEqual([]);
  expect(TLS_FAULTS.filter((fault) => !text.includes(`"{${fault}}"`))).toEqual([]);
});

test('alternates between lower and upper case in header names', async () => {
  server.queue('ruleset', [{ etag: '"a"', body: { flags: {} } }]);
  const isLowerCase: boolean[] = [];
  for (let time = 0; time < 2; time++) {
    const { text } = await receive((received) => received.includes('fetched_at'));
    isLowerCase.push(text.includes('\r\netag: "a"'));
  }
  expect(isLowerCase.toSorted()).toEqual([false, true]);
});

test('refuses a batch longer than servers accept, whatever the script says', async () => {
  server.queue('events', [{ status: 202 }]);
  const send = async (events: readonly unknown[]) => {
    const body = JSON.stringify({ batch_id: 'b', events });
    return (await fetch(`${server.baseUrl}/sdk/events`, { method: 'POST', body })).status;
  };
  expect(await send(Array.from({ length: 1000 }, () => ({})))).toBe(202);
  expect(await send(Array.from({ length: 1001 }, () => ({})))).toBe(413);
  expect(await send(['x'.repeat(1 << 20)])).toBe(413);
});
