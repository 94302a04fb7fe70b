import { expect, test } from 'vitest';
import type { EventBatch } from '../protocol/protocol.ts';
import { createTestFlag, createTestPorts, createTestRuleset, type ScriptedReply } from '../testing.ts';
import type { ClientOptions } from './client-options.ts';
import { createClient } from './create-client.ts';
import { createLocalSource } from './local-source.ts';

const EVENTS = '/sdk/events';
const user = { user_key: 'u1' };
const start = (options: Partial<ClientOptions> = {}, ...script: ScriptedReply[]) => {
  const data = createTestRuleset(
    [
      createTestFlag('a', true),
      createTestFlag('b', 'text'),
      createTestFlag('exposed', true, { track_exposures: true }),
    ],
    7,
  );
  const setup = createTestPorts({ saved: { data, tag: '"v7"' } });
  setup.server.script('/sdk/ruleset', { status: 304 });
  setup.server.script(EVENTS, ...(script.length ? script : [{ status: 202 }]));
  const client = createClient(setup.config(options), createLocalSource()).client;
  const sent = () => setup.server.requests(EVENTS).map(({ body }) => JSON.parse(body) as EventBatch);
  return { ...setup, client, sent };
};
const counters = (batches: readonly EventBatch[]) =>
  batches.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'summary' ? event.counters : [])),
  );

test('counts evaluations by outcome and sends the counters of each interval', async () => {
  const { client, clock, sent, server } = start();
  await clock.advance(2000);
  for (let i = 0; i < 1000; i++) client.flag('a', { user_key: `u${i}` }, false);
  client.flag('b', user, '');
  client.flag('b', user, 0);
  client.flag('missing', user, 0);
  client.flag('missing', user, 0);
  expect(server.requests(EVENTS)).toHaveLength(0);
  await clock.advance(11_000);
  const common = { rule_id: null, ruleset_version: 7 };
  expect(counters(sent())).toEqual([
    { flag_key: 'a', variation_key: 'on', reason: 'DEFAULT', count: 1000, ...common },
    { flag_key: 'b', variation_key: 'only', reason: 'DEFAULT', count: 1, ...common },
    { flag_key: 'b', variation_key: null, reason: 'DEFAULT', count: 1, ...common },
    { flag_key: 'missing', variation_key: null, reason: 'FLAG_NOT_FOUND', count: 2, ...common },
  ]);
  expect(sent()).toHaveLength(1);
  expect(sent()[0]).toMatchObject({
    batch_id: 'test-1-1',
    sdk: { name: 'flagsvc-test', version: '0.0.0', instance_id: 'test-1' },
    events: [{ type: 'summary', start: '2026-01-01T00:00:02.000Z' }],
  });
  expect(client.stats()).toMatchObject({ recorded: 1004, delivered: 1004, pending: 0, dropped: 0 });
});

test('sends no request if there is nothing to send, or events are off', async () => {
  const { clock, server } = start();
  await clock.advance(120_000);
  expect(server.requests(EVENTS)).toHaveLength(0);
  const off = start({ events: false });
  off.client.flag('exposed', user, false);
  off.client.track('bought', user);
  await off.client.flush();
  await off.clock.advance(120_000);
  expect(off.server.requests(EVENTS)).toHaveLength(0);
});

test('keeps the counters of two ruleset versions apart', async () => {
  const { client, clock, sent, handles } = start();
  client.flag('a', user, false);
  client.flag('missing', user, 0);
  handles().receive({ data: createTestRuleset({ a: true }, 8), tag: null });
  client.flag('a', user, false);
  client.flag('missing', user, 0);
  await client.flush();
  await clock.advance(0);
  expect(
    counters(sent()).map(({ flag_key, ruleset_version, count }) => [flag_key, ruleset_version, count]),
  ).toEqual([
    ['a', 7, 1],
    ['missing', 7, 1],
    ['a', 8, 1],
    ['missing', 8, 1],
  ]);
});

test('counts evaluations before there is a ruleset', async () => {
  const { server, clock, config } = createTestPorts();
  server.script(EVENTS, { status: 202 });
  const client = createClient(config(), createLocalSource()).client;
  client.flag('a', user, false);
  await clock.advance(11_000);
  const [batch] = server.requests(EVENTS).map(({ body }) => JSON.parse(body) as EventBatch);
  expect(counters([batch!])).toMatchObject([
    { flag_key: 'a', ruleset_version: null, reason: 'FLAG_NOT_FOUND' },
  ]);
});

test('reports an exposure once per hour, user, flag and variation', async () => {
  const { client, clock, sent } = start();
  for (let i = 0; i < 10; i++) client.flag('exposed', user, false);
  client.flag('exposed', { user_key: 'u2' }, false);
  client.flag('exposed', {}, false);
  client.flag('a', user, false);
  await clock.advance(3_599_000);
  client.flag('exposed', user, false);
  await clock.advance(1000);
  client.flag('exposed', user, false);
  await clock.advance(11_000);
  const exposures = sent().flatMap(({ events }) => events.filter(({ type }) => type === 'exposure'));
  expect(exposures).toHaveLength(3);
  expect(exposures[0]).toEqual({
    type: 'exposure',
    id: expect.any(String),
    timestamp: '2026-01-01T00:00:00.000Z',
    flag_key: 'exposed',
    variation_key: 'on',
    reason: 'DEFAULT',
    rule_id: null,
    ruleset_version: 7,
    user_key: 'u1',
  });
  expect(new Set(exposures.map((event) => (event as { id: string }).id)).size).toBe(3);
});

test('does not report the exposure of a default value', async () => {
  const { client, sent } = start();
  client.flag('exposed', user, 'wrong type');
  await client.flush();
  expect(counters(sent())).toHaveLength(1);
  expect(sent()[0]!.events).toHaveLength(1);
  expect(client.stats().recorded).toBe(1);
});

test('a track event has the values that the data had at the time of the call', async () => {
  const { client, sent } = start();
  const properties = { currency: 'EUR' };
  client.track('bought', user, { value: 49.9, properties });
  properties.currency = 'USD';
  client.track('seen', user);
  client.track('odd', user, { value: Number.NaN });
  await client.flush();
  expect(sent()[0]!.events).toMatchObject([
    { type: 'track', event_name: 'bought', user_key: 'u1', value: 49.9, properties: { currency: 'EUR' } },
    { type: 'track', event_name: 'seen', user_key: 'u1' },
    { type: 'track', event_name: 'odd' },
  ]);
  expect(sent()[0]!.events[2]).not.toHaveProperty('value');
});

test('drops and counts events that cannot be sent', async () => {
  const { client, sent } = start();
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  client.track('cycle', user, { properties: cycle as never });
  client.track('bigint', user, { properties: { n: 1n as never } });
  client.track('long', user, { properties: { text: 'x'.repeat(5000) } });
  client.track('nobody', {});
  client.track('', user);
  client.flag('k'.repeat(5000), user, 0);
  await client.flush();
  expect(sent()).toHaveLength(0);
  expect(client.stats()).toMatchObject({ recorded: 6, delivered: 0, pending: 0, dropped: 6 });
});

test('keeps at most maxPendingEvents, counts the rest as dropped, and reports that once', async () => {
  const { client, clock, faults } = start({ maxPendingEvents: 100 }, { delayMs: Number.POSITIVE_INFINITY });
  for (let i = 0; i < 1000; i++) client.flag(`missing-${i}`, user, 0);
  expect(client.stats()).toMatchObject({ recorded: 1000, pending: 100, dropped: 900 });
  expect(client.stats().drops).toEqual({ full: 900, invalid: 0, refused: 0, closed: 0 });
  const reported = [{ code: 'EVENTS_DROPPED', detail: 'full' }];
  expect(faults).toEqual(reported);
  client.close({ timeoutMs: 0 });
  await clock.settle();
  client.track('late', user);
  expect(faults).toEqual(reported);
});

test('sends early when the event buffer is half full', async () => {
  const { client, clock, sent } = start({ maxPendingEvents: 100 });
  await clock.advance(1000);
  for (let i = 0; i < 50; i++) client.track('e', { user_key: `u${i}` });
  await clock.advance(0);
  expect(sent()).toHaveLength(1);
});

test('sends early again if the event buffer becomes half full during a request', async () => {
  const { client, clock, sent } = start({ maxPendingEvents: 100 }, { status: 202, delayMs: 3000 });
  await clock.advance(1000);
  const fill = () => {
    for (let i = 0; i < 50; i++) client.track('e', user);
  };
  fill();
  await clock.advance(100);
  fill();
  await clock.advance(3000);
  expect(sent()).toHaveLength(2);
});

test('splits a long batch into several, each with its own id', async () => {
  const { client, sent } = start({ maxBatchLength: 5000 });
  for (let i = 0; i < 200; i++) client.flag(`missing-${i}`, user, 0);
  await client.flush();
  expect(sent().length).toBeGreaterThan(3);
  expect(new Set(sent().map(({ batch_id }) => batch_id)).size).toBe(sent().length);
  expect(counters(sent())).toHaveLength(200);
});

test.each([429, 500, 502, 503, 408])(
  'after status %d, retries the same batch with the same id before it sends the next batch',
  async (status) => {
    const { client, clock, server } = start({}, { status }, { status }, { status: 202 });
    client.flag('a', user, false);
    await clock.advance(11_000);
    client.flag('b', user, '');
    await clock.advance(30_000);
    const bodies = server.requests(EVENTS).map(({ body }) => body);
    expect(bodies).toHaveLength(4);
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[2]).toBe(bodies[0]);
    expect(counters([JSON.parse(bodies[3]!)])).toMatchObject([{ flag_key: 'b' }]);
    expect(client.stats()).toMatchObject({ recorded: 2, delivered: 2, pending: 0, dropped: 0 });
  },
);

test('retries the same batch after a lost answer', async () => {
  const lost = { delayMs: 50, error: new Error('reset') };
  const { client, clock, server } = start({}, lost, { status: 202 });
  client.flag('a', user, false);
  await clock.advance(20_000);
  const bodies = server.requests(EVENTS).map(({ body }) => body);
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
});

test.each([400, 401, 403, 404, 413, 422])(
  'after status %d, drops and counts the batch, and continues more slowly',
  async (status) => {
    const { client, clock, server, faults } = start({}, { status }, { status: 202 });
    client.flag('a', user, false);
    await clock.advance(11_000);
    expect(client.stats()).toMatchObject({ recorded: 1, delivered: 0, pending: 0, dropped: 1 });
    expect(faults).toEqual([{ code: 'EVENTS_DROPPED', detail: String(status) }]);
    client.flag('a', user, false);
    await clock.advance(19_000);
    expect(server.requests(EVENTS)).toHaveLength(1);
    await clock.advance(60_000);
    expect(client.stats()).toMatchObject({ recorded: 2, delivered: 1, pending: 0, dropped: 1 });
    // Polling with the key still works.
    expect(client.status()).toBe('ready');
  },
);

test('sends no events before Retry-After, not even by flush, while polling continues', async () => {
  const { client, clock, server } = start(
    {},
    { status: 429, headers: { 'retry-after': '100' } },
    { status: 202 },
  );
  client.flag('a', user, false);
  await client.flush();
  await client.flush();
  await clock.advance(99_000);
  expect(server.requests(EVENTS)).toHaveLength(1);
  expect(server.requests('/sdk/ruleset').length).toBeGreaterThan(3);
  await clock.advance(12_000);
  expect(client.stats()).toMatchObject({ delivered: 1, pending: 0 });
});

test('flush continues after a refused batch and stops at a failed one', async () => {
  const { client, sent } = start({ maxBatchLength: 1000 }, { status: 400 }, { status: 202 }, { status: 503 });
  for (let i = 0; i < 30; i++) client.flag(`missing-${i}`, user, 0);
  await client.flush();
  expect(sent()).toHaveLength(3);
  const { delivered, pending, dropped } = client.stats();
  expect(delivered).toBeGreaterThan(0);
  expect(dropped).toBe(delivered);
  expect(pending).toBe(30 - delivered - dropped);
});

test('flush waits for the batch in flight and sends what was recorded meanwhile', async () => {
  const { client, clock, sent } = start({}, { status: 202, delayMs: 500 });
  client.flag('a', user, false);
  const first = client.flush();
  await clock.advance(100);
  client.flag('b', user, '');
  const second = client.flush();
  await clock.advance(2000);
  await Promise.all([first, second]);
  expect(sent()).toHaveLength(2);
  expect(client.stats()).toMatchObject({ delivered: 2, pending: 0 });
});

test('flush waits for what was recorded before it, even if events are dropped meanwhile', async () => {
  const { client, clock } = start({}, { status: 202, delayMs: 500 });
  client.flag('a', user, false);
  client.flush();
  client.flag('b', user, '');
  let settled = false;
  client.flush().then(() => {
    settled = true;
  });
  for (let i = 0; i < 9; i++) client.track('nobody', {});
  await clock.advance(900);
  expect(settled).toBe(false);
  await clock.advance(100);
  expect(client.stats()).toMatchObject({ delivered: 2, pending: 0 });
});

test('flushAtOnce sends every batch synchronously, and counts each once', async () => {
  const { client, clock, server, handles } = start({}, { status: 202, delayMs: 500 });
  client.flag('a', user, false);
  client.flush();
  await clock.advance(100);
  client.flag('b', user, '');
  handles().flushAtOnce();
  handles().flushAtOnce();
  expect(server.requests(EVENTS)).toHaveLength(2);
  expect(server.requests(EVENTS).every(({ keepalive }) => keepalive)).toBe(true);
  await clock.advance(1000);
  expect(client.stats()).toMatchObject({ recorded: 2, delivered: 2, pending: 0, dropped: 0 });
});

test('a summary never ends before it starts, even if the clock goes back', async () => {
  const { client, clock, sent } = start();
  client.flag('a', user, false);
  clock.jump(-3_600_000);
  await client.flush();
  const [summary] = sent()[0]!.events;
  expect(summary).toMatchObject({ start: '2026-01-01T00:00:00.000Z', end: '2026-01-01T00:00:00.000Z' });
});

test('close sends what is pending; later evaluations are counted as dropped', async () => {
  const { client, clock, sent } = start();
  client.flag('a', user, false);
  const closed = client.close();
  await clock.advance(1);
  await closed;
  expect(sent()).toHaveLength(1);
  client.flag('a', user, false);
  await clock.advance(60_000);
  expect(sent()).toHaveLength(1);
  expect(client.stats()).toMatchObject({ recorded: 2, delivered: 1, pending: 0, dropped: 1 });
});

test('creates no batch while another waits, so an outage of any length needs only two batches', async () => {
  const { client, clock, server, sent } = start({}, { status: 503 });
  for (let i = 0; i < 60; i++) {
    client.flag('a', user, false);
    await clock.advance(10_000);
  }
  server.script(EVENTS, { status: 202 });
  await clock.advance(400_000);
  expect(new Set(sent().map(({ batch_id }) => batch_id)).size).toBe(2);
  expect(client.stats()).toMatchObject({ recorded: 60, delivered: 60, pending: 0, dropped: 0 });
});
