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

/** One stream as the server has it. */
interface Line {
  readonly headers: Record<string, string>;
  readonly atMs: number;
  send(text: string | Uint8Array): void;
  tell(version: number, withinMs?: number, event?: string): void;
  /** The server ends it; with an error, it breaks. */
  end(error?: Error): void;
  readonly isCut: () => boolean;
}

/** A client on paper, with a server that streams. */
function start({
  seed = 1,
  status = 200,
  type = 'text/event-stream',
  takesRulesets = false,
  isDeaf = false,
  options = {} as Partial<ClientOptions>,
} = {}) {
  const world = createTestPorts({ seed });
  const { clock, server } = world;
  const lines: Line[] = [];
  let answer = { status, headers: { 'content-type': type } as Record<string, string> };

  const openLine = (headers: Record<string, string>, signal: AbortSignalLike): FetchReply => {
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
    lines.push({
      headers,
      atMs: clock.monotonic(),
      send,
      tell: (version, withinMs = 0, event = 'ruleset.updated') =>
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
  const config = world.config(options);
  const streaming = {
    ...config,
    fetch: ((url, init) =>
      url.endsWith(takesRulesets ? `${STREAM}?mode=full` : STREAM)
        ? Promise.resolve(openLine(init.headers, init.signal))
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
    ...world,
    open,
    stream,
    lines,
    line: () => lines.at(-1)!,
    polls: () => server.requests(RULESET).length,
    answer: (next: typeof answer) => {
      answer = next;
    },
  };
}

/** A client that streams version 1 and has it. */
async function settled(options = {}) {
  const world = start(options);
  world.server.script(RULESET, good(1), { status: 304 });
  const client = world.open();
  await world.clock.advance(0);
  world.line().tell(1);
  await world.clock.advance(1);
  expect(world.polls()).toBe(1);
  return { ...world, client };
}

test('opens a stream with the key, and fetches once although it was told of what it was fetching', async () => {
  const { client, line, polls } = await settled();
  expect(line().headers).toEqual({ 'x-api-key': 'sdk-dev-test', accept: 'text/event-stream' });
  expect(client.status()).toBe('ready');
  expect(polls()).toBe(1);
});

test('fetches what it is told of at once, and only what it has not', async () => {
  const { clock, server, client, line, polls } = await settled();
  server.script(RULESET, good(2));
  line().tell(2);
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v2');
  line().tell(2, 0, 'heartbeat');
  line().tell(2);
  await clock.advance(5_000);
  expect(polls()).toBe(2);
  expect(server.requests(RULESET)[1]!.headers['if-none-match']).toBe(tagOf(1));
});

/** The event that brings the version with it. */
const snapshot = (version: number, ruleset: unknown = good(version).body.data) =>
  `id: ${version}\nevent: ruleset.snapshot\ndata: ${JSON.stringify({ version, etag: tagOf(version), ruleset })}\n\n`;

test('serves and saves a ruleset that comes with the news, and fetches nothing', async () => {
  const { clock, cache, client, line, polls } = await settled({ takesRulesets: true });
  line().send(snapshot(2));
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v2');
  expect(cache.all.at(-1)).toEqual({ data: good(2).body.data, tag: tagOf(2) });
  await clock.advance(20_000);
  expect(polls()).toBe(1);
});

test('fetches when a fetch under way has brought an older ruleset than the news', async () => {
  const { clock, server, client, line, polls } = await settled({ takesRulesets: true });
  server.script(RULESET, { ...good(2), delayMs: 500 }, good(3));
  line().tell(2);
  await clock.advance(100);
  line().send(snapshot(3));
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v3');
  await clock.advance(1_000);
  expect(client.flag('greeting', user, '')).toBe('v3');
  expect(polls()).toBe(3);
});

test('fetches when the ruleset that came with the news is none', async () => {
  const { clock, server, client, line } = await settled({ takesRulesets: true });
  server.script(RULESET, good(2));
  line().send(snapshot(2, { flags: 'none' }));
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('v2');
});

test('does not poll while the stream is alive, hears of every change, and polls again when it is silent', async () => {
  const { clock, line, lines, polls } = await settled();
  for (let count = 0; count < 40; count++) {
    await clock.advance(15_000);
    if (count % 4 === 3) line().tell(1, 0, 'heartbeat');
    else line().send(':\n\n');
  }
  await clock.settle();
  expect(polls()).toBe(1);
  const silentFrom = clock.monotonic();
  await clock.advance(33_001);
  expect(polls()).toBe(2);
  expect(line().isCut()).toBe(false);
  await clock.advance(37_501 - 33_001);
  expect(lines[0]!.isCut()).toBe(true);
  await clock.advance(10_000);
  expect(lines).toHaveLength(2);
  expect(lines[1]!.atMs - silentFrom).toBeLessThanOrEqual(47_501);
});

test('leaves a silent stream that does not hear its signal', async () => {
  const { clock, lines } = await settled({ isDeaf: true });
  await clock.advance(47_501);
  expect(lines).toHaveLength(2);
});

test('comes back with its version, and leaves the polling again', async () => {
  const { clock, line, lines, polls } = await settled();
  line().end(new Error('reset'));
  await clock.advance(10_000);
  expect(lines).toHaveLength(2);
  expect(line().headers['last-event-id']).toBe('1');
  line().tell(1, 0, 'heartbeat');
  await clock.settle();
  const before = polls();
  for (let count = 0; count < 10; count++) {
    await clock.advance(15_000);
    line().send(':\n\n');
  }
  expect(polls()).toBe(before);
});

test('leaves no gap: whatever becomes of the stream, a change is served within an interval', async () => {
  for (let seed = 0; seed < 60; seed++) {
    const { clock, server, client, line, answer } = await settled({ seed });
    const live = (seed * 7_919) % 60_000;
    for (let ms = 0; ms < live; ms += 15_000) {
      await clock.advance(Math.min(15_000, live - ms));
      line().send(':\n\n');
    }
    // From here on the server streams no more: it refuses, or is silent, or ends each stream at once.
    if (seed % 3 === 0) answer({ status: 503, headers: {} });
    if (seed % 3 < 2) line().end();
    await clock.settle();
    server.script(RULESET, good(2));
    await clock.advance(33_001);
    expect(client.flag('greeting', user, ''), `seed ${seed}`).toBe('v2');
    await client.close({ timeoutMs: 0 });
  }
});

test('spreads what it fetches over the time that the server names', async () => {
  const waits: number[] = [];
  for (let seed = 0; seed < 60; seed++) {
    const { clock, server, line } = await settled({ seed });
    server.script(RULESET, good(2));
    const toldAt = clock.monotonic();
    line().tell(2, 4_000);
    await clock.advance(4_001);
    waits.push(server.requests(RULESET)[1]!.atMs - toldAt);
  }
  expect(Math.min(...waits)).toBeLessThan(500);
  expect(Math.max(...waits)).toBeGreaterThan(3_500);
});

test('fetches once for several changes, and the last of them', async () => {
  const { clock, server, client, line, polls } = await settled();
  server.script(RULESET, good(4));
  line().tell(2, 1_000);
  line().tell(3, 1_000);
  line().tell(4, 1_000);
  await clock.advance(1_001);
  expect(polls()).toBe(2);
  expect(client.stats().rulesetVersion).toBe(4);
});

test('is not content with what a fetch brings that was under way when the change came', async () => {
  const { clock, server, client, line } = await settled();
  server.script(RULESET, { ...good(2), delayMs: 500 }, good(3));
  line().tell(2);
  await clock.advance(100);
  line().tell(3);
  await clock.advance(500);
  expect(client.stats().rulesetVersion).toBe(3);
});

test('asks a server that is behind again with the next heartbeat', async () => {
  const { clock, server, client, line, polls } = await settled();
  server.script(RULESET, { status: 304 });
  line().tell(2);
  await clock.advance(0);
  expect([polls(), client.stats().rulesetVersion]).toEqual([2, 1]);
  server.script(RULESET, good(2));
  line().tell(2, 0, 'heartbeat');
  await clock.advance(0);
  expect(client.stats().rulesetVersion).toBe(2);
});

test('lets a fetch that failed be tried again by the plan, whatever the stream says meanwhile', async () => {
  const { clock, server, client, line } = await settled();
  server.script(RULESET, { status: 500 }, { status: 500 }, good(2));
  line().tell(2);
  await clock.advance(0);
  expect(client.status()).toBe('stale');
  for (let count = 0; count < 6; count++) {
    line().send(':\n\n');
    await clock.advance(1_000);
  }
  expect([client.status(), client.stats().rulesetVersion]).toEqual(['ready', 2]);
});

test('follows a version that went back', async () => {
  const { clock, server, client, line } = await settled();
  server.script(RULESET, {
    headers: { etag: 'W/"1-other"' },
    body: { data: createTestRuleset({ greeting: 'restored' }, 1) },
  });
  line().send(`event: heartbeat\ndata: ${JSON.stringify({ version: 1, etag: 'W/"1-other"' })}\n\n`);
  await clock.advance(0);
  expect(client.flag('greeting', user, '')).toBe('restored');
});

test('comes back after a goodbye when it was asked to', async () => {
  const { clock, line, lines } = await settled();
  line().send(`event: goodbye\ndata: ${JSON.stringify({ reason: 'shutdown', retry_ms: 7_000 })}\n\n`);
  line().end();
  await clock.advance(6_999);
  expect(lines).toHaveLength(1);
  await clock.advance(2);
  expect(lines).toHaveLength(2);
});

test.each([
  { reason: 'shutdown' },
  { reason: 'shutdown', retry_ms: null },
  { reason: 'shutdown', retry_ms: 0 },
  { reason: 'shutdown', retry_ms: -60_000 },
])('does not come back at once after a goodbye that names no time: %j', async (goodbye) => {
  const { clock, line, lines } = await settled();
  line().send(`event: goodbye\ndata: ${JSON.stringify(goodbye)}\n\n`);
  line().end();
  await clock.advance(100);
  expect(lines).toHaveLength(1);
  await clock.advance(10_000);
  expect(lines).toHaveLength(2);
});

test('spreads a fleet that comes back: at most 15 % in any second', async () => {
  const seconds = new Array<number>(12).fill(0);
  const fleet = 300;
  for (let seed = 0; seed < fleet; seed++) {
    const { clock, line, lines, client } = await settled({ seed });
    const brokenAt = clock.monotonic();
    line().end(new Error('reset'));
    await clock.advance(11_000);
    seconds[Math.floor((lines[1]!.atMs - brokenAt) / 1_000)]! += 1;
    await client.close({ timeoutMs: 0 });
  }
  expect(Math.max(...seconds)).toBeLessThanOrEqual(fleet * 0.15);
});

test.each([
  [401, 'text/event-stream'],
  [403, 'text/event-stream'],
  [404, 'application/json'],
  [200, 'text/html'],
])('asks ever more rarely for a stream that is answered %i %s, and polls as ever', async (status, type) => {
  const world = start({ status, type });
  world.server.script(RULESET, good(1), { status: 304 });
  const client = world.open();
  await world.clock.advance(300_000);
  expect(world.lines.length).toBeLessThanOrEqual(5);
  expect(world.lines.every((line) => line.isCut())).toBe(true);
  expect(world.polls()).toBeGreaterThanOrEqual(9);
  expect(client.status()).toBe('ready');
});

test('passes over what it does not know', async () => {
  const { clock, server, client, line, lines } = await settled();
  server.script(RULESET, good(2));
  line().send(
    'event: later.invention\ndata: not json\n\n: comment\n\nretry: 9\n\nretry: x\n\nfield\n\nevent: heartbeat\ndata: {}\n\n',
  );
  line().tell(2);
  await clock.advance(1);
  expect([client.stats().rulesetVersion, lines.length]).toEqual([2, 1]);
  line().end();
  await clock.advance(10_000);
  expect(lines).toHaveLength(2);
});

test.each(['\n', '\r\n', '\r'])(
  'reads a stream whose lines end by %j byte by byte: a mark at its head, data in lines, a broken id',
  async (end) => {
    const { clock, server, client, line, lines, polls } = await settled({ takesRulesets: true });
    line().end();
    await clock.advance(10_000);
    const before = polls();
    const ruleset = createTestRuleset({ greeting: 'grüße 👋' }, 2);
    const data = JSON.stringify({ version: 2, etag: tagOf(2), ruleset }, null, 1).split('\n');
    const event = ['id: 2', 'event:ruleset.snapshot', ...data.map((part) => `data: ${part}`), '', ''];
    const broken = ['id: 3\0', 'event: heartbeat', `data: ${JSON.stringify({ etag: tagOf(2) })}`, '', ''];
    for (const byte of new TextEncoder().encode(`\ufeff${[...event, ...broken].join(end)}`)) {
      line().send(Uint8Array.of(byte));
      await clock.settle();
    }
    await clock.advance(0);
    expect(client.flag('greeting', user, '')).toBe('grüße 👋');
    expect([polls(), lines.length]).toEqual([before, 2]);
    server.script(RULESET, { status: 304 });
    line().end();
    await clock.advance(10_000);
    expect(line().headers['last-event-id']).toBe('2');
  },
);

test.each([
  ['one line', () => 'x'],
  ['many lines', () => 'x\ndata: '],
])(
  'gives up an event of more than a mebibyte in %s, and reads one that is just shorter',
  async (_, piece) => {
    const part = piece().repeat(2 ** 16);
    const letters = part.replaceAll('data: ', '').length;
    const { clock, client, line, lines } = await settled();
    const send = async (text: string) => {
      line().send(text);
      await clock.settle();
    };
    const most = Math.floor(2 ** 20 / letters) - 1;
    await send('event: later.invention\ndata: ');
    for (let count = 0; count < most; count++) await send(part);
    await send('\n\n: comment\n\n');
    expect(lines[0]!.isCut()).toBe(false);
    await send('data: ');
    for (let count = 0; count < most + 3; count++) await send(part);
    expect(lines[0]!.isCut()).toBe(true);
    await clock.advance(10_001);
    expect([lines.length, client.status()]).toEqual([2, 'ready']);
  },
);

test('opens the stream anew when an event cannot be read', async () => {
  const { clock, line, lines, client } = await settled();
  line().send('event: ruleset.updated\ndata: {broken\n\n');
  await clock.advance(10_001);
  expect(lines).toHaveLength(2);
  expect(lines[0]!.isCut()).toBe(true);
  expect(client.status()).toBe('ready');
});

test('ends with the client, and leaves no timer', async () => {
  const { clock, line, lines, client } = await settled();
  line().tell(2, 5_000);
  await clock.settle();
  await client.close({ timeoutMs: 0 });
  await clock.settle();
  expect(line().isCut()).toBe(true);
  await clock.advance(600_000);
  expect(lines).toHaveLength(1);
  expect(clock.timers()).toBe(0);
});

test('can be left and entered again', async () => {
  const { clock, lines, stream, client } = await settled();
  stream.disconnect();
  await clock.settle();
  expect(lines[0]!.isCut()).toBe(true);
  const mine = { refresh: async () => tagOf(1), defer() {} } as never;
  stream.connect(mine);
  await clock.advance(0);
  expect(lines).toHaveLength(2);
  await client.close({ timeoutMs: 0 });
});
