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
/** Returns a client and the times of its fetches. The first fetch succeeds; `then` answers the later ones. */
const start = async (then: readonly ScriptedReply[], seed = 1, untilMs = 3_600_000) => {
  const setup = createTestPorts({ seed });
  setup.server.script(RULESET, good(), ...then);
  const client = createClient(setup.config({ events: false }), createLocalSource()).client;
  await setup.clock.advance(0);
  await setup.clock.advance(untilMs);
  const times = setup.server.requests(RULESET).map(({ atMs }) => atMs);
  return { ...setup, client, times, gaps: times.slice(1).map((atMs, i) => atMs - times[i]!) };
};

test.each([500, 502, 503, 504, 408, 425, 429, 302])(
  'keeps the ruleset and retries after status %d',
  async (status) => {
    const { client, gaps, faults, server } = await start([{ status }], 3);
    // The first gap is the regular poll interval.
    for (let k = 1; k <= 8; k++) {
      const full = Math.min(300_000, 1000 * 2 ** (k - 1));
      expect(gaps[k]).toBeGreaterThanOrEqual(full / 2);
      expect(gaps[k]).toBeLessThanOrEqual(full);
    }
    expect(Math.max(...gaps.slice(10))).toBeLessThanOrEqual(300_000);
    expect(client.flag('greeting', user, '')).toBe('hello');
    expect(client.status()).toBe('stale');
    // Reported once, however long the outage lasts.
    expect(faults).toEqual([{ code: 'HTTP_STATUS', detail: String(status) }]);
    expect(server.requests(RULESET).at(-1)!.headers['if-none-match']).toBe('"v1"');
  },
);

test('chooses each wait at random between half of its maximum and its maximum', async () => {
  const waits: number[] = [];
  for (let seed = 0; seed < 200; seed++) waits.push((await start([{ status: 500 }], seed, 50_000)).gaps[3]!);
  expect(new Set(waits).size).toBeGreaterThan(190);
  expect(Math.min(...waits)).toBeLessThan(2100);
  expect(Math.max(...waits)).toBeGreaterThan(3900);
});

test('starts with the first wait again after a success', async () => {
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
  // Another outage is reported again.
  expect(faults).toHaveLength(2);
});

test.each([
  ['Retry-After in seconds', { 'retry-after': '90' }, 90_000],
  [
    'Retry-After as a date',
    { 'retry-after': new Date(1_767_225_600_000 + 33_000 + 120_000).toUTCString() },
    119_000,
  ],
  [
    'the reset of an exhausted rate limit',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225720' },
    86_000,
  ],
])('obeys %s', async (_, headers, leastMs) => {
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

test('waits for the reset after a good answer that exhausted the rate limit', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(1_767_225_600 + 150) };
  const { gaps } = await start([{ status: 304, headers }, { status: 304 }], 2, 400_000);
  expect(gaps[1]).toBeGreaterThan(100_000);
  expect(gaps[2]).toBeLessThan(34_000);
});

test('obeys a wait that the server asked for, whatever a lifecycle does', async () => {
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
  'after status %d, keeps answering, retries ever more slowly, and recovers by itself',
  async (status) => {
    const setup = createTestPorts();
    setup.server.script(RULESET, good(), { status });
    const client = createClient(setup.config({ events: false }), createLocalSource()).client;
    await setup.clock.advance(3_600_000);
    const times = setup.server.requests(RULESET).map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, i) => atMs - times[i]!);
    expect(gaps[1]).toBeGreaterThanOrEqual(30_000);
    expect(gaps[1]).toBeLessThanOrEqual(60_000);
    expect(gaps.at(-1)).toBeGreaterThanOrEqual(150_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(300_000);
    expect(client.status()).toBe('unauthorized');
    expect(client.flag('greeting', user, '')).toBe('hello');
    expect(setup.faults).toEqual([{ code: 'UNAUTHORIZED', detail: String(status) }]);
    setup.server.script(RULESET, { status: 304 });
    await setup.clock.advance(300_000);
    expect(client.status()).toBe('ready');
  },
);

test('stays unauthorized through network faults, until an answer is good', async () => {
  const { client, clock, server } = await start([{ status: 401 }, { status: 500 }], 1, 200_000);
  expect(client.status()).toBe('unauthorized');
  server.script(RULESET, { status: 304 });
  await clock.advance(300_000);
  expect(client.status()).toBe('ready');
});

test.each([400, 404, 410])('retries slowly after status %d', async (status) => {
  const { times } = await start([{ status }], 1, 3_600_000);
  expect(times.length).toBeLessThan(30);
});

test('never quotes the key in a fault', async () => {
  const { faults } = await start([
    { error: Object.assign(new Error('sdk-dev-test refused'), { cause: { code: 'ECONNREFUSED' } }) },
  ]);
  expect(faults).toEqual([{ code: 'NETWORK', detail: 'ECONNREFUSED' }]);
});

test('survives a fetch that throws, or rejects with undefined', async () => {
  const setup = createTestPorts();
  let calls = 0;
  const fetch = () => {
    calls++;
    if (calls % 2) throw undefined;
    return Promise.reject();
  };
  const client = createClient(setup.config({ events: false }, { fetch }), createLocalSource()).client;
  await setup.clock.advance(60_000);
  expect(calls).toBeGreaterThan(4);
  expect(client.status()).toBe('initializing');
});

test('a fetch fails at once even if reading its error throws', async () => {
  const setup = createTestPorts();
  let calls = 0;
  const refuse = () => {
    throw new Error('no');
  };
  const fetch = () => {
    calls++;
    return Promise.reject(Object.defineProperty({}, 'name', { get: refuse }));
  };
  createClient(setup.config({ events: false }, { fetch }), createLocalSource()).client;
  await setup.clock.advance(9000);
  expect(calls).toBeGreaterThan(3);
});

test('continues after a timer that fires early, within the wait that the server asked for', async () => {
  const setup = createTestPorts();
  setup.server.script(RULESET, { status: 429, headers: { 'retry-after': '20' } }, good());
  const early: typeof setup.clock = {
    ...setup.clock,
    setTimer: (callback, delayMs) => setup.clock.setTimer(callback, delayMs * 0.99),
  };
  const client = createClient(setup.config({}, { clock: early }), createLocalSource()).client;
  await setup.clock.advance(30_000);
  expect(client.status()).toBe('ready');
});

test.each([200, 404, 503])(
  'keeps polling after status %d with headers that are a plain object',
  async (status) => {
    const setup = createTestPorts();
    let requests = 0;
    // Tests that replace `fetch` often return such headers.
    const fetch = async () => {
      requests++;
      return { status, headers: { 'content-type': 'application/json' } as never, text: async () => '{}' };
    };
    const client = createClient(setup.config({}, { fetch }), createLocalSource()).client;
    client.track('bought', user);
    await setup.clock.advance(3_600_000);
    expect(requests).toBeGreaterThan(10);
    expect(client.status()).toBe('initializing');
  },
);
