import { expect, test } from 'vitest';
import { createTestPorts, createTestRuleset, type ScriptedReply } from '../testing.ts';
import { createClient } from './create-client.ts';
import { createLocalSource } from './local-source.ts';

const RULESET = '/sdk/ruleset';
const user = { user_key: 'u1' };
const good = (): ScriptedReply => ({
  headers: { etag: '"v1"' },
  body: { data: createTestRuleset({ greeting: 'hello' }) },
});
/** A client whose first fetch is good and whose later ones answer `then`, and the times of its fetches. */
const start = async (then: readonly ScriptedReply[], seed = 1, untilMs = 3_600_000) => {
  const world = createTestPorts({ seed });
  world.server.script(RULESET, good(), ...then);
  const client = createClient(world.config({ events: false }), createLocalSource()).client;
  await world.clock.advance(0);
  await world.clock.advance(untilMs);
  const times = world.server.requests(RULESET).map(({ atMs }) => atMs);
  return { ...world, client, times, gaps: times.slice(1).map((atMs, i) => atMs - times[i]!) };
};

test.each([500, 502, 503, 504, 408, 425, 429, 302])(
  'keeps the ruleset and retries after %d',
  async (status) => {
    const { client, gaps, faults, server } = await start([{ status }], 3);
    // Gap 0 is the regular poll.
    for (let k = 1; k <= 8; k++) {
      const full = Math.min(300_000, 1000 * 2 ** (k - 1));
      expect(gaps[k]).toBeGreaterThanOrEqual(full / 2);
      expect(gaps[k]).toBeLessThanOrEqual(full);
    }
    expect(Math.max(...gaps.slice(10))).toBeLessThanOrEqual(300_000);
    expect(client.flag('greeting', user, '')).toBe('hello');
    expect(client.status()).toBe('stale');
    // Told once, however long it lasts.
    expect(faults).toEqual([{ code: 'HTTP_STATUS', detail: String(status) }]);
    expect(server.requests(RULESET).at(-1)!.headers['if-none-match']).toBe('"v1"');
  },
);

test('spreads each wait over its whole interval', async () => {
  const waits: number[] = [];
  for (let seed = 0; seed < 200; seed++) waits.push((await start([{ status: 500 }], seed, 50_000)).gaps[3]!);
  expect(new Set(waits).size).toBeGreaterThan(190);
  expect(Math.min(...waits)).toBeLessThan(2100);
  expect(Math.max(...waits)).toBeGreaterThan(3900);
});

test('starts over after a success', async () => {
  const { gaps, client, faults } = await start(
    [{ status: 500 }, { status: 500 }, { status: 500 }, { status: 304 }, { status: 500 }, { status: 304 }],
    5,
    120_000,
  );
  expect(gaps[1]).toBeLessThanOrEqual(1000);
  expect(gaps[3]).toBeGreaterThan(2000);
  expect(gaps[4]).toBeGreaterThan(27_000);
  expect(gaps[5]).toBeLessThanOrEqual(1000);
  expect(client.status()).toBe('ready');
  // A new outage is news.
  expect(faults).toHaveLength(2);
});

test.each([
  ['seconds', { 'retry-after': '90' }, 90_000],
  ['a date', { 'retry-after': new Date(1_767_225_600_000 + 33_000 + 120_000).toUTCString() }, 119_000],
  [
    'the reset of a used-up limit',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225720' },
    86_000,
  ],
])('sends nothing before Retry-After in %s', async (_, headers, leastMs) => {
  const { gaps } = await start([{ status: 429, headers }, { status: 304 }], 2, 600_000);
  expect(gaps[1]).toBeGreaterThanOrEqual(leastMs);
  expect(gaps[1]).toBeLessThanOrEqual(leastMs * 1.1 + 8000);
});

test.each([
  ['absurd', '999999999', 300_000],
  ['an absurd date', 'Fri, 31 Dec 9999 23:59:59 GMT', 300_000],
  ['negative', '-30', 1000],
  ['a date in the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 1000],
  ['nonsense', 'soon', 1000],
  ['zero', '0', 1000],
])('caps or ignores a Retry-After that is %s', async (_, value, mostMs) => {
  const { gaps } = await start(
    [{ status: 429, headers: { 'retry-after': value } }, { status: 304 }],
    2,
    900_000,
  );
  expect(gaps[1]).toBeGreaterThanOrEqual(mostMs / 2);
  expect(gaps[1]).toBeLessThanOrEqual(mostMs);
});

test('waits for the reset after a good answer that used the limit up', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(1_767_225_600 + 150) };
  const { gaps } = await start([{ status: 304, headers }, { status: 304 }], 2, 400_000);
  expect(gaps[1]).toBeGreaterThan(100_000);
  expect(gaps[2]).toBeLessThan(34_000);
});

test('does not let a lifecycle break the wait that the server asked for', async () => {
  const { clock, server, handles, times } = await start(
    [{ status: 503, headers: { 'retry-after': '200' } }, { status: 304 }],
    2,
    40_000,
  );
  expect(times).toHaveLength(2);
  handles().poll();
  handles().pause();
  handles().resume();
  await clock.advance(150_000);
  expect(server.requests(RULESET)).toHaveLength(2);
  await clock.advance(80_000);
  expect(server.requests(RULESET).length).toBeGreaterThan(2);
});

test.each([401, 403])(
  'keeps answering after %d, asks ever more slowly, and recovers by itself',
  async (status) => {
    const world = createTestPorts();
    world.server.script(RULESET, good(), { status });
    const client = createClient(world.config({ events: false }), createLocalSource()).client;
    await world.clock.advance(3_600_000);
    const times = world.server.requests(RULESET).map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, i) => atMs - times[i]!);
    expect(gaps[1]).toBeGreaterThanOrEqual(30_000);
    expect(gaps[1]).toBeLessThanOrEqual(60_000);
    expect(gaps.at(-1)).toBeGreaterThanOrEqual(150_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(300_000);
    expect(client.status()).toBe('unauthorized');
    expect(client.flag('greeting', user, '')).toBe('hello');
    expect(world.faults).toEqual([{ code: 'UNAUTHORIZED', detail: String(status) }]);
    world.server.script(RULESET, { status: 304 });
    await world.clock.advance(300_000);
    expect(client.status()).toBe('ready');
  },
);

test('stays unauthorized while the network fails, until an answer is good', async () => {
  const { client, clock, server } = await start([{ status: 401 }, { status: 500 }], 1, 200_000);
  expect(client.status()).toBe('unauthorized');
  server.script(RULESET, { status: 304 });
  await clock.advance(300_000);
  expect(client.status()).toBe('ready');
});

test.each([400, 404, 410])('does not spin on %d', async (status) => {
  const { times } = await start([{ status }], 1, 3_600_000);
  expect(times.length).toBeLessThan(30);
});

test('never tells the key', async () => {
  const { faults } = await start([
    { error: Object.assign(new Error('sdk-dev-test refused'), { cause: { code: 'ECONNREFUSED' } }) },
  ]);
  expect(faults).toEqual([{ code: 'NETWORK', detail: 'ECONNREFUSED' }]);
});

test('survives a fetch that rejects with nothing, or throws', async () => {
  const world = createTestPorts();
  let calls = 0;
  const fetch = () => {
    calls++;
    if (calls % 2) throw undefined;
    return Promise.reject();
  };
  const client = createClient(world.config({ events: false }, { fetch }), createLocalSource()).client;
  await world.clock.advance(60_000);
  expect(calls).toBeGreaterThan(4);
  expect(client.status()).toBe('initializing');
});

test('a fetch that rejects with what cannot be looked at has failed, and at once', async () => {
  const world = createTestPorts();
  let calls = 0;
  const refuse = () => {
    throw new Error('no');
  };
  const fetch = () => {
    calls++;
    return Promise.reject(Object.defineProperty({}, 'name', { get: refuse }));
  };
  createClient(world.config({ events: false }, { fetch }), createLocalSource()).client;
  await world.clock.advance(9000);
  expect(calls).toBeGreaterThan(3);
});

test('goes on though a timer fires early, within the wait that the server asked for', async () => {
  const world = createTestPorts();
  world.server.script(RULESET, { status: 429, headers: { 'retry-after': '20' } }, good());
  const early: typeof world.clock = {
    ...world.clock,
    setTimer: (callback, delayMs) => world.clock.setTimer(callback, delayMs * 0.99),
  };
  const client = createClient(world.config({}, { clock: early }), createLocalSource()).client;
  await world.clock.advance(30_000);
  expect(client.status()).toBe('ready');
});

test.each([200, 404, 503])(
  'goes on asking when %d comes with headers that cannot be asked',
  async (status) => {
    const world = createTestPorts();
    let asked = 0;
    // As tests put it in the place of `fetch`.
    const fetch = async () => {
      asked++;
      return { status, headers: { 'content-type': 'application/json' } as never, text: async () => '{}' };
    };
    const client = createClient(world.config({}, { fetch }), createLocalSource()).client;
    client.track('bought', user);
    await world.clock.advance(3_600_000);
    expect(asked).toBeGreaterThan(10);
    expect(client.status()).toBe('initializing');
  },
);
