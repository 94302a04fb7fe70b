import { expect, test } from 'vitest';
import { createSeededRandom, createTestController, createTestPorts, createTestRuleset } from '../testing.ts';
import { createClient } from './create-client.ts';
import { createLocalSource } from './local-source.ts';
import type { FetchLike, FetchReply } from './ports.ts';

const RULESET = '/sdk/ruleset';
const user = { user_key: 'u1' };
const good = (version: number, tag: string | undefined = `"v${version}"`) => ({
  headers: tag === undefined ? {} : { etag: tag },
  body: { data: createTestRuleset({ greeting: `v${version}` }, version) },
});
const start = (options = {}, seed = 1) => {
  const setup = createTestPorts({ seed });
  const client = (ports = {}) => createClient(setup.config(options, ports), createLocalSource()).client;
  return { ...setup, client };
};

test('fetches at once, with the key and without a tag', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1));
  client();
  await clock.advance(0);
  expect(server.requests(RULESET)).toHaveLength(1);
  expect(server.requests(RULESET)[0]).toMatchObject({ url: 'http://test/sdk/ruleset', method: 'GET' });
  expect(server.requests(RULESET)[0]!.headers).toEqual({
    'x-api-key': 'sdk-dev-test',
    accept: 'application/json',
  });
});

test('polls 30 s after the end of a fetch, ±10 %', async () => {
  const gaps = new Set<number>();
  for (let seed = 0; seed < 50; seed++) {
    const { server, clock, client } = start({}, seed);
    server.script(RULESET, { ...good(1), delayMs: 4000 });
    client();
    await clock.advance(4000);
    await clock.advance(26_999);
    expect(server.requests(RULESET)).toHaveLength(1);
    await clock.advance(6002);
    expect(server.requests(RULESET)).toHaveLength(2);
    gaps.add(server.requests(RULESET)[1]!.atMs - 4000);
  }
  expect(Math.min(...gaps)).toBeLessThan(28_000);
  expect(Math.max(...gaps)).toBeGreaterThan(32_000);
});

test('sends the last tag byte for byte, even a weak one, and keeps the ruleset on 304', async () => {
  const { server, clock, client } = start();
  const tag = 'W/"1-äöü, \\"q"';
  server.script(RULESET, good(1, tag), { status: 304 });
  const flags = client();
  await clock.advance(34_000);
  expect(server.requests(RULESET)[1]!.headers['if-none-match']).toBe(tag);
  expect(flags.flag('greeting', user, '')).toBe('v1');
  expect(flags.status()).toBe('ready');
  await clock.advance(34_000);
  expect(server.requests(RULESET)[2]!.headers['if-none-match']).toBe(tag);
});

test('sends the tag of the newest ruleset, and no tag if that ruleset had none', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1), good(2), { body: good(3).body });
  const flags = client();
  await clock.advance(34_000 * 3);
  expect(server.requests(RULESET).map(({ headers }) => headers['if-none-match'])).toEqual([
    undefined,
    '"v1"',
    '"v2"',
    undefined,
  ]);
  expect(flags.flag('greeting', user, '')).toBe('v3');
});

test('treats an unexpected 304 as a failure and retries without a tag', async () => {
  const { server, clock, client, faults } = start();
  server.script(RULESET, { status: 304 }, good(1));
  const flags = client();
  await clock.advance(0);
  expect(flags.status()).toBe('initializing');
  expect(faults).toEqual([{ code: 'HTTP_STATUS', detail: '304' }]);
  await clock.advance(1000);
  expect(flags.status()).toBe('ready');
  expect(server.requests(RULESET)[1]!.headers['if-none-match']).toBeUndefined();
});

test('never has two fetches in flight, and gives up after the timeout', async () => {
  const { server, clock, client, faults } = start({ requestTimeoutMs: 100_000 });
  server.script(RULESET, good(1), { delayMs: Number.POSITIVE_INFINITY }, good(2));
  const flags = client();
  await clock.advance(33_000 + 93_000);
  expect(server.requests(RULESET)).toHaveLength(2);
  await clock.advance(9000);
  expect(faults).toEqual([{ code: 'TIMEOUT', detail: '' }]);
  expect(flags.flag('greeting', user, '')).toBe('v2');
});

test('gives up on a body that does not end', async () => {
  const { server, clock, client, faults } = start();
  server.script(RULESET, { ...good(1), bodyDelayMs: Number.POSITIVE_INFINITY }, good(2));
  const flags = client();
  await clock.advance(12_000);
  expect(faults).toEqual([{ code: 'TIMEOUT', detail: '' }]);
  expect(flags.flag('greeting', user, '')).toBe('v2');
});

test.each(['delayMs', 'bodyDelayMs'])('gives up on a fetch that ignores its signal: %s', async (where) => {
  const { server, clock, client, faults } = start();
  server.script(RULESET, { ...good(1), [where]: Number.POSITIVE_INFINITY }, good(2));
  const deaf: FetchLike = (url, init) =>
    server.fetch(url, { ...init, signal: createTestController().signal });
  const flags = client({ fetch: deaf });
  await clock.advance(12_000);
  expect(faults).toEqual([{ code: 'TIMEOUT', detail: '' }]);
  expect(flags.flag('greeting', user, '')).toBe('v2');
});

test('accepts an answer without headers from a fetch that the application replaced', async () => {
  const { clock, client, faults } = start();
  const answer = { status: 200, text: async () => JSON.stringify(good(1).body) };
  const flags = client({ fetch: async () => answer as FetchReply });
  await clock.advance(0);
  expect([flags.status(), flags.flag('greeting', user, '')]).toEqual(['ready', 'v1']);
  expect(faults).toEqual([]);
});

test('reports a redirect whose status the browser hides as HTTP_STATUS', async () => {
  const { clock, client, faults } = start();
  const answer = { status: 0, headers: { get: () => null }, text: async () => '' };
  client({ fetch: async () => answer });
  await clock.advance(0);
  expect(faults).toEqual([{ code: 'HTTP_STATUS', detail: '0' }]);
});

test('retries if the controller of a request cannot be created', async () => {
  const { server, clock, client, faults } = start();
  server.script(RULESET, good(1));
  let failures = 1;
  const flags = client({
    newController() {
      if (failures-- > 0) throw new Error('no controller');
      return createTestController();
    },
  });
  await clock.advance(0);
  expect(faults).toEqual([{ code: 'NETWORK', detail: '' }]);
  await clock.advance(1000);
  expect(flags.status()).toBe('ready');
});

test('neither drifts nor leaks timers over 1,000 polls', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1), { status: 304 });
  client();
  await clock.advance(30_000 * 1000);
  expect(server.requests(RULESET).length).toBeGreaterThan(950);
  expect(server.requests(RULESET).length).toBeLessThan(1050);
  // The next poll, the next batch, and the timeouts of the last requests.
  expect(clock.timers()).toBeLessThan(6);
});

test('polls once after the machine has slept through many intervals', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1), { status: 304 });
  client();
  await clock.advance(10_000);
  await clock.sleep(24 * 3_600_000);
  expect(server.requests(RULESET)).toHaveLength(2);
});

test('is not affected by jumps of the wall clock', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1), { status: 304 });
  client();
  await clock.advance(10_000);
  clock.jump(86_400_000);
  await clock.advance(0);
  clock.jump(-3 * 86_400_000);
  await clock.advance(16_000);
  expect(server.requests(RULESET)).toHaveLength(1);
  await clock.advance(8000);
  expect(server.requests(RULESET)).toHaveLength(2);
});

test('does not poll after close', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1), { status: 304 });
  const flags = client();
  await clock.advance(1000);
  flags.close();
  await clock.advance(600_000);
  expect(server.requests(RULESET)).toHaveLength(1);
});

test('ignores the answer to a fetch that was in flight at close', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, { ...good(1), delayMs: 5000 });
  const flags = client();
  await clock.advance(1000);
  flags.close();
  await clock.advance(600_000);
  expect(flags.status()).toBe('closed');
  expect(flags.flag('greeting', user, 'none')).toBe('none');
  expect(server.requests(RULESET)).toHaveLength(1);
});

test('spreads the polls of 50 clients over the interval', async () => {
  const { server, clock, config } = createTestPorts();
  server.script(RULESET, ({ headers }) => (headers['if-none-match'] ? { status: 304 } : good(1)));
  const random = createSeededRandom(7);
  for (let i = 0; i < 50; i++) createClient(config({}, { random }), createLocalSource()).client;
  await clock.advance(33_001);
  const second = server.requests(RULESET).slice(50, 100);
  const seconds = new Map<number, number>();
  for (const { atMs } of second) {
    const bucket = Math.floor(atMs / 1000);
    seconds.set(bucket, (seconds.get(bucket) ?? 0) + 1);
  }
  expect(second).toHaveLength(50);
  expect(Math.max(...seconds.values())).toBeLessThan(25);
});

test('two clients share nothing', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1), good(2));
  const one = client();
  const two = client();
  await clock.advance(0);
  expect([one.flag('greeting', user, ''), two.flag('greeting', user, '')]).toEqual(['v1', 'v2']);
  one.close();
  await clock.advance(40_000);
  expect(two.status()).toBe('ready');
});

test('refetch replaces a fetch in flight and sends no tag', async () => {
  const { server, clock, config } = start();
  server.script(RULESET, good(1), { ...good(2), delayMs: 5000 }, good(3));
  const { client, refetch } = createClient(config(), createLocalSource());
  await clock.advance(34_000);
  const done = refetch();
  await clock.advance(6000);
  await done;
  expect(server.requests(RULESET)[2]!.headers['if-none-match']).toBeUndefined();
  expect(client.flag('greeting', user, '')).toBe('v3');
});
