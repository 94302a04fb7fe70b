import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient, type Fault, type NodeClientOptions } from '@flagsvc/sdk-node';
import { encode } from '@msgpack/msgpack';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { VERSION } from '../src/client/version.ts';
import { createNodeClient as createEdgeClient } from '../src/edge.ts';
import { json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';

const user = { user_key: 'u1' };
const ruleset = createTestRuleset({ greeting: 'hello', 'new-checkout': true });
let server: LoopbackServer;
let faults: Fault[];
const opened: { close(limit?: { timeoutMs: number }): Promise<void> }[] = [];
const options = (more: Partial<NodeClientOptions> = {}): NodeClientOptions => ({
  apiKey: 'sdk-dev-loopback',
  baseUrl: server.baseUrl,
  pollIntervalMs: 60,
  retryBaseMs: 20,
  flushIntervalMs: 40,
  logger: (fault) => void faults.push(fault),
  ...more,
});
const open = (more: Partial<NodeClientOptions> = {}) => {
  const client = createNodeClient(options(more));
  opened.push(client);
  return client;
};

beforeEach(async () => {
  faults = [];
  server = await startLoopbackServer();
  server.on('/sdk/ruleset', json({ data: ruleset }, '"v1"'));
  server.on('/sdk/events', (_, response) => response.writeHead(202).end('{"data":{}}'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close({ timeoutMs: 0 })));
  await server.close();
});

test('fetches, evaluates, polls with the tag on one connection, and reports events', async () => {
  const client = open();
  expect(client.flag('greeting', user, 'default')).toBe('default');
  expect(await client.ready({ timeoutMs: 2000 })).toBe('ready');
  expect(client.flag('greeting', user, 'default')).toBe('hello');
  expect(client.explain('greeting', user)?.result.value).toBe('hello');
  expect(Object.keys(client.evaluateAll(user))).toEqual(['greeting', 'new-checkout']);
  await until(() => server.arrivals('/sdk/ruleset').length > 4);
  expect(server.arrivals('/sdk/ruleset')[0]!.headers).toMatchObject({ 'x-api-key': 'sdk-dev-loopback' });
  expect(server.arrivals('/sdk/ruleset')[3]!.headers['if-none-match']).toBe('"v1"');
  await until(() => client.stats().delivered === 2);
  expect(server.connections()).toBeLessThan(3);
  expect(faults).toEqual([]);
  await client.close();
  await client.close();
  expect(client.status()).toBe('closed');
});

test('compresses long batches of events', async () => {
  const client = open();
  for (let i = 0; i < 100; i++) client.track('event', user, { properties: { i } });
  await client.flush();
  const [arrival] = server.arrivals('/sdk/events');
  expect(arrival!.headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(arrival!.body).events).toHaveLength(100);
  expect(client.stats()).toMatchObject({ delivered: 100, pending: 0 });
});

test('requests MessagePack if format says so, and accepts JSON as well', async () => {
  server.on('/sdk/ruleset', ({ headers }, response) => {
    expect(headers.accept).toBe('application/msgpack, application/json;q=0.9');
    response.writeHead(200, { 'content-type': 'application/msgpack' }).end(encode({ data: ruleset }));
  });
  const client = open({ format: 'msgpack' });
  expect(await client.ready()).toBe('ready');
  expect(client.flag('greeting', user, '')).toBe('hello');
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'json' }) }));
  await until(() => client.flag('greeting', user, '') === 'json');
});

test('decodes names such as __proto__ from MessagePack as from JSON', async () => {
  const names = '{"__proto__":{"admin":true},"toString":1}';
  const flags = createTestRuleset({ names: JSON.parse(names) });
  server.on('/sdk/ruleset', (_arrival, response) => {
    response.writeHead(200, { 'content-type': 'application/msgpack' }).end(encode({ data: flags }));
  });
  const client = open({ format: 'msgpack' });
  expect(await client.ready()).toBe('ready');
  expect(JSON.stringify(client.flag('names', user, {}))).toBe(names);
  expect(faults).toEqual([]);
});

test('survives MessagePack that announces or contains more values than fit into the heap', async () => {
  const child = spawn(
    process.execPath,
    [
      ...['--conditions=@flagsvc/source', '--max-old-space-size=400'],
      join(import.meta.dirname, 'msgpack-bombs.ts'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  expect(JSON.parse(await text(child.stdout))).toEqual({ refused: 5, accept: 'application/json' });
});

test('requests JSON after MessagePack that cannot be decoded', async () => {
  server.on('/sdk/ruleset', ({ headers }, response, socket) => {
    if (headers.accept === 'application/json')
      return json({ data: ruleset })({ headers } as never, response, socket);
    response.writeHead(200, { 'content-type': 'application/msgpack' }).end(Buffer.from([0xc1]));
  });
  const client = open({ format: 'msgpack' });
  expect(await client.ready()).toBe('ready');
  expect(faults).toEqual([{ code: 'NOT_DECODABLE', detail: '' }]);
});

test('answers the first read from a bootstrap, and reports an invalid bootstrap', async () => {
  const client = open({ bootstrap: ruleset });
  expect(client.flag('greeting', user, '')).toBe('hello');
  expect(client.status()).toBe('cached');
  await until(() => client.status() === 'ready');
  open({ bootstrap: { nonsense: true } });
  expect(faults).toEqual([{ code: 'BAD_RULESET', detail: 'saved' }]);
});

test('keeps the last good ruleset on disk, complete and private, and starts from it without a server', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'flagsvc-'));
  const cacheDir = join(scratch, 'new', 'folder');
  const first = open({ cacheDir });
  await first.ready();
  await until(() => faults.length === 0 && first.status() === 'ready');
  await until(() => server.arrivals('/sdk/ruleset').length > 1);
  await expect.poll(() => readdir(cacheDir)).toEqual([expect.stringMatching(/^flagsvc-[0-9a-f]{32}\.json$/)]);
  const [name] = await readdir(cacheDir);
  const path = join(cacheDir, name!);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ data: ruleset, tag: '"v1"' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await first.close();

  server.on('/sdk/ruleset', (_, __, socket) => void socket.destroy());
  const second = open({ cacheDir });
  expect(second.flag('greeting', user, '')).toBe('hello');
  expect(await second.ready()).toBe('cached');
  await until(() => second.status() === 'stale');

  await writeFile(path, '{"data":');
  faults = [];
  const third = open({ cacheDir });
  expect(third.flag('greeting', user, 'default')).toBe('default');
  await Promise.resolve();
  expect(faults).toEqual([{ code: 'CACHE', detail: 'not JSON' }]);
  await rm(scratch, { recursive: true });
});

test('works without a writable disk, and reports the fault once, even if the logger throws', async () => {
  // Every answer without a tag is written to disk.
  server.on('/sdk/ruleset', json({ data: ruleset }));
  const logged: Fault[] = [];
  const emitted: Fault[] = [];
  const logger = (fault: Fault) => {
    logged.push(fault);
    throw new Error('of the logger');
  };
  const client = open({ cacheDir: '/dev/null/nowhere', logger });
  client.on('error', (fault) => emitted.push(fault));
  await until(() => server.arrivals('/sdk/ruleset').length > 3);
  expect([logged, emitted]).toEqual(Array(2).fill([{ code: 'CACHE', detail: 'ENOTDIR' }]));
  expect(client.flag('greeting', user, '')).toBe('hello');
});

test('reads a body that is a Node stream, which older implementations of fetch return', async () => {
  const body = () => Readable.from([Buffer.from(JSON.stringify({ data: ruleset }))]) as never;
  const client = open({
    fetch: async () => ({ status: 200, headers: new Headers(), body: body() }) as unknown as Response,
  });
  expect(await client.ready()).toBe('ready');
});

test('becomes ready, polls and sends events although the host uses fake timers', async () => {
  const real = setTimeout;
  vi.useFakeTimers();
  try {
    const client = open();
    expect(await client.ready({ timeoutMs: 5000 })).toBe('ready');
    client.flag('greeting', user, '');
    const isDone = () => client.stats().delivered === 1 && server.arrivals('/sdk/ruleset').length > 2;
    for (let i = 0; i < 500 && !isDone(); i++) await new Promise((resolve) => real(resolve, 10));
    expect(isDone()).toBe(true);
    await client.close();
  } finally {
    vi.useRealTimers();
  }
});

test.each([false, true])(
  'fetches and calls listeners outside the async context of host requests, streaming: %s',
  async (streaming) => {
    const requests = new AsyncLocalStorage<string>();
    const seen: [string, string | undefined][] = [];
    const see = (what: string) => void seen.push([what, requests.getStore()]);
    server.on('/sdk/stream', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    });
    const client = requests.run('the first', () =>
      open({
        streaming,
        fetch(url, init) {
          see(`${url}`.replace(/.*\//, '').replace(/\?.*/, ''));
          return fetch(url, init);
        },
      }),
    );
    client.on('change', () => see('change'));
    await client.ready();
    // Half of the buffer is sent at once, the rest by the next flush.
    const served = requests.run('a later one', async () => {
      for (let i = 0; i < 2500; i++) client.track('bought', user);
      await until(() => client.stats().pending === 0);
      seen.length = 0;
      await client.flush();
      client.flag('greeting', user, '');
    });
    await served;
    server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'bye' }, 2) }, '"v2"'));
    await until(() => seen.some(([what]) => what === 'change') && seen.some(([what]) => what === 'events'));
    expect(seen.filter(([, request]) => request !== undefined)).toEqual([]);
  },
);

test('does not follow a redirect with the key', async () => {
  const other = await startLoopbackServer();
  other.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'stolen' }) }));
  server.on('/sdk/ruleset', (_, response) =>
    response.writeHead(307, { location: `${other.baseUrl}/sdk/ruleset` }).end(),
  );
  const client = open();
  expect(await client.ready({ timeoutMs: 100 })).toBe('initializing');
  expect(other.arrivals()).toEqual([]);
  expect(faults).toEqual([{ code: 'HTTP_STATUS', detail: '307' }]);
  await other.close();
});

test('starts at a random time within startJitterMs', async () => {
  const client = open({ startJitterMs: 60_000 });
  expect(await client.ready({ timeoutMs: 30 })).toBe('initializing');
  expect(server.arrivals()).toEqual([]);
});

test('a client that is closed within startJitterMs opens no stream later', async () => {
  await open({ startJitterMs: 20, streaming: true }).close();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(server.arrivals()).toEqual([]);
});

test('closes when its signal is aborted', async () => {
  const controller = new AbortController();
  const client = open({ signal: controller.signal });
  await client.ready();
  controller.abort();
  expect(client.status()).toBe('closed');
  expect(open({ signal: AbortSignal.abort() }).status()).toBe('closed');
});

test('removes its listener from the signal, however it is closed', async () => {
  const { signal } = new AbortController();
  {
    await using client = createNodeClient(options({ signal }));
    await client.ready();
  }
  await createNodeClient(options({ signal })).close();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('removes its listener from a signal that ignores the signal option of addEventListener', async () => {
  const { signal } = new AbortController();
  const listen = signal.addEventListener;
  signal.addEventListener = (type: string, listener: () => void) => listen.call(signal, type, listener);
  await createNodeClient(options({ signal })).close();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('is closed by await using', async () => {
  let seen: ReturnType<typeof createNodeClient> | undefined;
  {
    await using client = createNodeClient(options());
    seen = client;
    await client.ready();
    client.flag('greeting', user, '');
  }
  expect(seen.status()).toBe('closed');
  expect(seen.stats()).toMatchObject({ recorded: 1, delivered: 1 });
});

test('warns in one line without the key by default, and not at all with logger: false', async () => {
  const lines: string[] = [];
  const { warn } = console;
  console.warn = (line: string) => void lines.push(line);
  server.on('/sdk/ruleset', (_, response) => response.writeHead(401).end());
  const loud = createNodeClient({ apiKey: 'sdk-dev-loopback', baseUrl: server.baseUrl });
  const silent = createNodeClient({ apiKey: 'sdk-dev-loopback', baseUrl: server.baseUrl, logger: false });
  opened.push(loud, silent);
  expect(await loud.ready()).toBe('unauthorized');
  expect(await silent.ready()).toBe('unauthorized');
  console.warn = warn;
  expect(lines).toEqual([
    'flagsvc: the server refuses the API key; check that it is complete, not revoked, and from this server [UNAUTHORIZED: 401]',
  ]);
});

test('suggests the prefix /api/v1 if there is no API', async () => {
  const lines: string[] = [];
  const client = open({
    baseUrl: `${server.baseUrl}/elsewhere`,
    logger: (_, text) => void lines.push(text),
  });
  await until(() => lines.length > 0);
  expect(lines).toEqual([
    'flagsvc: there is no API at this address; check that baseUrl ends in /api/v1 [HTTP_STATUS: 404]',
  ]);
  expect(client.status()).toBe('initializing');
});

test.each([
  [undefined, 'option apiKey must be an SDK key'],
  [{ apiKey: 'k' }, 'option baseUrl must be like'],
  [{ apiKey: 'k', baseUrl: 'http://h', apikey: 'k' }, 'option apikey is unknown'],
  [{ apiKey: 'k', baseUrl: 'http://h', format: 'xml' }, 'option format must be json or msgpack'],
  [{ apiKey: 'k', baseUrl: 'http://h', cacheDir: 1 }, 'option cacheDir must be a string'],
  [{ apiKey: 'k', baseUrl: 'http://h', signal: new AbortController() }, 'option signal must be an Abort'],
])('refuses invalid options, naming the option and the remedy %#', (bad, message) => {
  expect(() => createNodeClient(bad as never)).toThrow(message);
});

test('the edge entry point works without Node built-ins', async () => {
  const client = createEdgeClient({ ...options(), streaming: false });
  opened.push(client);
  expect(await client.ready()).toBe('ready');
  expect(client.flag('greeting', user, '')).toBe('hello');
  await client.flush();
  expect(client.stats()).toMatchObject({ recorded: 1, delivered: 1 });
  expect(() => createEdgeClient({ ...options(), cacheDir: 'x' } as never)).toThrow(
    'option cacheDir is unknown',
  );
});

test('VERSION is the version of the package', () => {
  expect(VERSION).toBe(manifest.version);
});
