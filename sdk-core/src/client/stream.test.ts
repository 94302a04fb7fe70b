import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { createTestPorts, createTestRuleset } from '../testing.ts';
import type { ClientOptions } from './client-options.ts';
import { createClient } from './create-client.ts';
import { createLocalSource } from './local-source.ts';
import type { AbortSignalLike, FetchReply } from './ports.ts';
import { createRequestScheduler } from './request-scheduler.ts';
import { createStream, type StreamPorts } from './stream.ts';

const RULESET = '/sdk/ruleset';
const STREAM = '/sdk/stream';
const user = { user_key: 'u1' };
const tagOf = (version: number) => `W/"${version}-abc"`;
const good = (version: number) => ({
  headers: { etag: tagOf(version) },
  body: { data: createTestRuleset({ greeting: `v${version}` }, version) },
});

/** One stream, seen from the server. */
interface ServerStream {
  readonly headers: Record<string, string>;
  readonly atMs: number;
  send(text: string | Uint8Array): void;
  announce(version: number, withinMs?: number, event?: string): void;
  /** Ends the stream, or breaks it if an error is passed. */
  end(error?: Error): void;
  readonly isCut: () => boolean;
}

/** A client on simulated ports, with a server that streams. */
function start({
  seed = 1,
  status = 200,
  type = 'text/event-stream',
  takesRulesets = false,
  isDeaf = false,
  options = {} as Partial<ClientOptions>,
} = {}) {
  const setup = createTestPorts({ seed });
  const { clock, server } = setup;
  const streams: ServerStream[] = [];
  let answer = { status, headers: { 'content-type': type } as Record<string, string> };

  const openStream = (headers: Record<string, string>, signal: AbortSignalLike): FetchReply => {
    const waiting: ((part: { done: boolean; value?: Uint8Array } | Error) => void)[] = [];
    const parts: ({ done: boolean; value?: Uint8Array } | Error)[] = [];
    let isCut = false;
    const push = (part: { done: boolean; value?: Uint8Array } | Error) => {
      const next = waiting.shift();
      if (next) next(part);
      else parts.push(part);
    };
    signal.addEventListener('abort', () => {
      isCut = true;
      if (!isDeaf) push(new Error('aborted'));
    });
    const send = (text: string | Uint8Array) =>
      push({ done: false, value: typeof text === 'string' ? new TextEncoder().encode(text) : text });
    streams.push({
      headers,
      atMs: clock.monotonic(),
      send,
      announce: (version, withinMs = 0, event = 'ruleset.updated') =>
        send(
          `${event === 'heartbeat' ? '' : `id: ${version}\n`}event: ${event}\ndata: ${JSON.stringify({ version, etag: tagOf(version), refetch_within_ms: withinMs })}\n\n`,
        ),
      end: (error) => push(error ?? { done: true }),
      isCut: () => isCut,
    });
    return {
      status: answer.status,
      headers: { get: (name) => answer.headers[name] ?? null },
      text: async () => '',
      body: {
        getReader: () => ({
          read: () =>
            new Promise((resolve, reject) => {
              const settle = (part: { done: boolean; value?: Uint8Array } | Error) =>
                part instanceof Error ? reject(part) : resolve(part);
              const part = parts.shift();
              if (part) settle(part);
              else waiting.push(settle);
            }),
          cancel: async () => push({ done: true }),
        }),
      },
    };
  };
  const ports: StreamPorts = {
    createParser,
    newDecoder: () => new TextDecoder(),
    takesRulesets,
  };
  const config = setup.config(options);
  const streaming = {
    ...config,
    fetch: ((url, init) =>
      url.endsWith(takesRulesets ? `${STREAM}?mode=full` : STREAM)
        ? Promise.resolve(openStream(init.headers, init.signal))
        : server.fetch(url, init)) as typeof config.fetch,
  };
  const stream = createStream({ ...streaming, createRequestScheduler }, ports);
  const open = (source = createLocalSource()) =>
    createClient(
      {
        ...streaming,
        connect(handles) {
          stream.connect(handles);
          return stream.disconnect;
        },
      },
      source,
    ).client;
  return {
    ...setup,
    open,
    stream,
    streams,
    latest: () => streams.at(-1)!,
    polls: () => server.requests(RULESET).length,
    answer: (next: typeof answer) => {
      answer = next;
    },
  };
}

/** A client that has version 1 and a stream that announced it. */
async function settled(options = {}) {
  const setup = start(options);
  setup.server.script(RULESET, good(1), { status: 304 });
  const client = setup.open();
  await setup.clock.advance(0);
  setup.latest().announce(1);
  await setup.clock.advance(1);
  expect(setup.polls()).toBe(1);
  return { ...setup, client };
}

test('opens a stream with the key, and does not fetch an announced version that it was already fetching', async () => {
  const { client, latest, polls } = await settled();
  expect(latest().headers).toEqual({ 'x-api-key': 'sdk-dev-test', accept: 'text/event-stream' });
  expect(client.status()).toBe('ready');
  expect(polls()).toBe(1);
});

test('fetches an announced version at once, unless the client already has it', async () => {
  const { clock, server, client, latest, polls } = await settled();
  server.script(RULESET, good(2));
  latest().announce(2);
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v2');
  latest().announce(2, 0, 'heartbeat');
  latest().announce(2);
  await clock.advance(5_000);
  expect(polls()).toBe(2);
  expect(server.requests(RULESET)[1]!.headers['if-none-match']).toBe(tagOf(1));
});

/** The event that contains the ruleset. */
const snapshot = (version: number, ruleset: unknown = good(version).body.data) =>
  `id: ${version}\nevent: ruleset.snapshot\ndata: ${JSON.stringify({ version, etag: tagOf(version), ruleset })}\n\n`;

test('serves and saves a ruleset that an event contains, and fetches nothing', async () => {
  const { clock, cache, client, latest, polls } = await settled({ takesRulesets: true });
  latest().send(snapshot(2));
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v2');
  expect(cache.all.at(-1)).toEqual({ data: good(2).body.data, tag: tagOf(2) });
  await clock.advance(20_000);
  expect(polls()).toBe(1);
});

test('fetches again if a fetch in flight returns an older ruleset than the event contained', async () => {
  const { clock, server, client, latest, polls } = await settled({ takesRulesets: true });
  server.script(RULESET, { ...good(2), delayMs: 500 }, good(3));
  latest().announce(2);
  await clock.advance(100);
  latest().send(snapshot(3));
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v3');
  await clock.advance(1_000);
  expect(client.flag('greeting', user, '')).toBe('v3');
  expect(polls()).toBe(3);
});

test('fetches if the ruleset in an event is invalid', async () => {
  const { clock, server, client, latest } = await settled({ takesRulesets: true });
  server.script(RULESET, good(2));
  latest().send(snapshot(2, { flags: 'none' }));
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v2');
});

test('does not poll while the stream is alive, and polls again when it is silent', async () => {
  const { clock, latest, streams, polls } = await settled();
  for (let count = 0; count < 40; count++) {
    await clock.advance(15_000);
    if (count % 4 === 3) latest().announce(1, 0, 'heartbeat');
    else latest().send(':\n\n');
  }
  await clock.settle();
  expect(polls()).toBe(1);
  const silentFrom = clock.monotonic();
  await clock.advance(33_001);
  expect(polls()).toBe(2);
  expect(latest().isCut()).toBe(false);
  await clock.advance(37_501 - 33_001);
  expect(streams[0]!.isCut()).toBe(true);
  await clock.advance(10_000);
  expect(streams).toHaveLength(2);
  expect(streams[1]!.atMs - silentFrom).toBeLessThanOrEqual(47_501);
});

test('abandons a silent stream whose reader ignores the signal', async () => {
  const { clock, streams } = await settled({ isDeaf: true });
  await clock.advance(47_501);
  expect(streams).toHaveLength(2);
});

test('reconnects with its last event id, and stops polling again', async () => {
  const { clock, latest, streams, polls } = await settled();
  latest().end(new Error('reset'));
  await clock.advance(10_000);
  expect(streams).toHaveLength(2);
  expect(latest().headers['last-event-id']).toBe('1');
  latest().announce(1, 0, 'heartbeat');
  await clock.settle();
  const before = polls();
  for (let count = 0; count < 10; count++) {
    await clock.advance(15_000);
    latest().send(':\n\n');
  }
  expect(polls()).toBe(before);
});

test('serves a change within a poll interval, however the stream ends', async () => {
  for (let seed = 0; seed < 60; seed++) {
    const { clock, server, client, latest, answer } = await settled({ seed });
    const live = (seed * 7_919) % 60_000;
    for (let ms = 0; ms < live; ms += 15_000) {
      await clock.advance(Math.min(15_000, live - ms));
      latest().send(':\n\n');
    }
    // From now on the server refuses streams, is silent, or ends each stream at once.
    if (seed % 3 === 0) answer({ status: 503, headers: {} });
    if (seed % 3 < 2) latest().end();
    await clock.settle();
    server.script(RULESET, good(2));
    await clock.advance(33_001);
    expect(client.flag('greeting', user, ''), `seed ${seed}`).toBe('v2');
    await client.close({ timeoutMs: 0 });
  }
});

test('spreads fetches over the time that the server sets', async () => {
  const waits: number[] = [];
  for (let seed = 0; seed < 60; seed++) {
    const { clock, server, latest } = await settled({ seed });
    server.script(RULESET, good(2));
    const announcedAt = clock.monotonic();
    latest().announce(2, 4_000);
    await clock.advance(4_001);
    waits.push(server.requests(RULESET)[1]!.atMs - announcedAt);
  }
  expect(Math.min(...waits)).toBeLessThan(500);
  expect(Math.max(...waits)).toBeGreaterThan(3_500);
});

test('fetches once for several changes, and gets the last one', async () => {
  const { clock, server, client, latest, polls } = await settled();
  server.script(RULESET, good(4));
  latest().announce(2, 1_000);
  latest().announce(3, 1_000);
  latest().announce(4, 1_000);
  await clock.advance(1_001);
  expect(polls()).toBe(2);
  expect(client.stats().rulesetVersion).toBe(4);
});

test('fetches again if a fetch in flight returns an older version than was announced', async () => {
  const { clock, server, client, latest } = await settled();
  server.script(RULESET, { ...good(2), delayMs: 500 }, good(3));
  latest().announce(2);
  await clock.advance(100);
  latest().announce(3);
  await clock.advance(500);
  expect(client.stats().rulesetVersion).toBe(3);
});

test('retries with the next heartbeat if the server still returned the old version', async () => {
  const { clock, server, client, latest, polls } = await settled();
  server.script(RULESET, { status: 304 });
  latest().announce(2);
  await clock.advance(0);
  expect([polls(), client.stats().rulesetVersion]).toEqual([2, 1]);
  server.script(RULESET, good(2));
  latest().announce(2, 0, 'heartbeat');
  await clock.advance(0);
  expect(client.stats().rulesetVersion).toBe(2);
});

test('retries a failed fetch on schedule, although the stream is alive', async () => {
  const { clock, server, client, latest } = await settled();
  server.script(RULESET, { status: 500 }, { status: 500 }, good(2));
  latest().announce(2);
  await clock.advance(0);
  expect(client.status()).toBe('stale');
  for (let count = 0; count < 6; count++) {
    latest().send(':\n\n');
    await clock.advance(1_000);
  }
  expect([client.status(), client.stats().rulesetVersion]).toEqual(['ready', 2]);
});

test('fetches an announced ruleset that has the same version but another tag', async () => {
  const { clock, server, client, latest } = await settled();
  server.script(RULESET, {
    headers: { etag: 'W/"1-other"' },
    body: { data: createTestRuleset({ greeting: 'restored' }, 1) },
  });
  latest().send(`event: heartbeat\ndata: ${JSON.stringify({ version: 1, etag: 'W/"1-other"' })}\n\n`);
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('restored');
});

test('reconnects after a goodbye at the time that the server asked for', async () => {
  const { clock, latest, streams } = await settled();
  latest().send(`event: goodbye\ndata: ${JSON.stringify({ reason: 'shutdown', retry_ms: 7_000 })}\n\n`);
  latest().end();
  await clock.advance(6_999);
  expect(streams).toHaveLength(1);
  await clock.advance(2);
  expect(streams).toHaveLength(2);
});

test.each([
  { reason: 'shutdown' },
  { reason: 'shutdown', retry_ms: null },
  { reason: 'shutdown', retry_ms: 0 },
  { reason: 'shutdown', retry_ms: -60_000 },
])('does not reconnect at once after a goodbye without a time: %j', async (goodbye) => {
  const { clock, latest, streams } = await settled();
  latest().send(`event: goodbye\ndata: ${JSON.stringify(goodbye)}\n\n`);
  latest().end();
  await clock.advance(100);
  expect(streams).toHaveLength(1);
  await clock.advance(10_000);
  expect(streams).toHaveLength(2);
});

test('spreads the reconnects of a fleet: at most 15 % in any second', async () => {
  const seconds = new Array<number>(12).fill(0);
  const fleet = 300;
  for (let seed = 0; seed < fleet; seed++) {
    const { clock, latest, streams, client } = await settled({ seed });
    const brokenAt = clock.monotonic();
    latest().end(new Error('reset'));
    await clock.advance(11_000);
    seconds[Math.floor((streams[1]!.atMs - brokenAt) / 1_000)]! += 1;
    await client.close({ timeoutMs: 0 });
  }
  expect(Math.max(...seconds)).toBeLessThanOrEqual(fleet * 0.15);
});

test.each([
  [401, 'text/event-stream'],
  [403, 'text/event-stream'],
  [404, 'application/json'],
  [200, 'text/html'],
])('reconnects at growing intervals after %i %s, and keeps polling', async (status, type) => {
  const setup = start({ status, type });
  setup.server.script(RULESET, good(1), { status: 304 });
  const client = setup.open();
  await setup.clock.advance(300_000);
  expect(setup.streams.length).toBeLessThanOrEqual(5);
  expect(setup.streams.every((line) => line.isCut())).toBe(true);
  expect(setup.polls()).toBeGreaterThanOrEqual(9);
  expect(client.status()).toBe('ready');
});

test('ignores unknown events and fields', async () => {
  const { clock, server, client, latest, streams } = await settled();
  server.script(RULESET, good(2));
  latest().send(
    'event: later.invention\ndata: not json\n\n: comment\n\nretry: 9\n\nretry: x\n\nfield\n\nevent: heartbeat\ndata: {}\n\n',
  );
  latest().announce(2);
  await clock.advance(1);
  expect([client.stats().rulesetVersion, streams.length]).toEqual([2, 1]);
  latest().end();
  await clock.advance(10_000);
  expect(streams).toHaveLength(2);
});

test.each(['\n', '\r\n', '\r'])(
  'reads a stream that arrives byte by byte, with lines that end with %j: a byte order mark, data over several lines, a broken id',
  async (end) => {
    const { clock, server, client, latest, streams, polls } = await settled({ takesRulesets: true });
    latest().end();
    await clock.advance(10_000);
    const before = polls();
    const ruleset = createTestRuleset({ greeting: 'grüße 👋' }, 2);
    const data = JSON.stringify({ version: 2, etag: tagOf(2), ruleset }, null, 1).split('\n');
    const event = ['id: 2', 'event:ruleset.snapshot', ...data.map((part) => `data: ${part}`), '', ''];
    const broken = ['id: 3\0', 'event: heartbeat', `data: ${JSON.stringify({ etag: tagOf(2) })}`, '', ''];
    for (const byte of new TextEncoder().encode(`\ufeff${[...event, ...broken].join(end)}`)) {
      latest().send(Uint8Array.of(byte));
      await clock.settle();
    }
    await clock.advance(0);
    expect(client.flag('greeting', user, '')).toBe('grüße 👋');
    expect([polls(), streams.length]).toEqual([before, 2]);
    server.script(RULESET, { status: 304 });
    latest().end();
    await clock.advance(10_000);
    expect(latest().headers['last-event-id']).toBe('2');
  },
);

test.each([
  ['one line', () => 'x'],
  ['many lines', () => 'x\ndata: '],
])(
  'gives up on an event of more than a mebibyte in %s, and reads one that is just shorter',
  async (_, piece) => {
    const part = piece().repeat(2 ** 16);
    const letters = part.replaceAll('data: ', '').length;
    const { clock, client, latest, streams } = await settled();
    const send = async (text: string) => {
      latest().send(text);
      await clock.settle();
    };
    const most = Math.floor(2 ** 20 / letters) - 1;
    await send('event: later.invention\ndata: ');
    for (let count = 0; count < most; count++) await send(part);
    await send('\n\n: comment\n\n');
    expect(streams[0]!.isCut()).toBe(false);
    await send('data: ');
    for (let count = 0; count < most + 3; count++) await send(part);
    expect(streams[0]!.isCut()).toBe(true);
    await clock.advance(10_001);
    expect([streams.length, client.status()]).toEqual([2, 'ready']);
  },
);

test('reconnects after an event that cannot be read', async () => {
  const { clock, latest, streams, client } = await settled();
  latest().send('event: ruleset.updated\ndata: {broken\n\n');
  await clock.advance(10_001);
  expect(streams).toHaveLength(2);
  expect(streams[0]!.isCut()).toBe(true);
  expect(client.status()).toBe('ready');
});

test('closes with the client, and leaves no timer', async () => {
  const { clock, latest, streams, client } = await settled();
  latest().announce(2, 5_000);
  await clock.settle();
  await client.close({ timeoutMs: 0 });
  await clock.settle();
  expect(latest().isCut()).toBe(true);
  await clock.advance(600_000);
  expect(streams).toHaveLength(1);
  expect(clock.timers()).toBe(0);
});

test('can be disconnected and connected again', async () => {
  const { clock, streams, stream, client } = await settled();
  stream.disconnect();
  await clock.settle();
  expect(streams[0]!.isCut()).toBe(true);
  stream.connect({ defer() {} } as never);
  await clock.advance(0);
  expect(streams).toHaveLength(2);
  await client.close({ timeoutMs: 0 });
});
