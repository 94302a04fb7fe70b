import { expect, test } from 'vitest';
import type { EvaluationEvent, EventBatch } from '../protocol/protocol.ts';
import { createSeededRandom, createTestFlag, createTestPorts, createTestRuleset } from '../testing.ts';
import { createClient } from './create-client.ts';
import { createLocalSource } from './local-source.ts';

const countOf = (event: EvaluationEvent): number =>
  event.type === 'summary' ? event.counters.reduce((sum, { count }) => sum + count, 0) : 1;

/** One client against a server that fails at random. The server's own count, once per batch id, is the reference. */
const runSchedule = async (seed: number): Promise<void> => {
  const random = createSeededRandom(seed * 7919 + 1);
  const below = (n: number) => Math.floor(random() * n);
  const flags = [
    createTestFlag('a', true, { track_exposures: true }),
    createTestFlag('b', 'x'),
    createTestFlag('c', 1),
  ];
  const data = createTestRuleset(flags, 1);
  const { clock, server, config, handles } = createTestPorts({ seed, saved: { data, tag: '"1"' } });
  const taken = new Map<string, number>();
  server.script('/sdk/ruleset', { status: 304 });
  server.script('/sdk/events', ({ body }) => {
    const batch = JSON.parse(body) as EventBatch;
    const count = batch.events.reduce((sum, event) => sum + countOf(event), 0);
    const fate = below(12);
    const delayMs = below(3) ? 0 : below(15_000);
    const take = () => {
      const before = taken.get(batch.batch_id);
      // A retry has the same batch id, so it counts once.
      if (before !== undefined) expect(before).toBe(count);
      taken.set(batch.batch_id, count);
    };
    if (fate < 6) take();
    if (fate < 5) return { status: 202, delayMs };
    // The batch is stored but its answer is lost: the retry must not count twice.
    if (fate === 5) return { delayMs, error: new Error('reset') };
    if (fate === 6) return { delayMs: Number.POSITIVE_INFINITY };
    if (fate === 7) return { status: [400, 401, 413][below(3)]!, delayMs };
    if (fate === 8) return { status: 429, headers: { 'retry-after': String(below(60)) } };
    return { status: [500, 502, 503][below(3)]!, delayMs };
  });
  const client = createClient(
    config({ maxPendingEvents: 20 + below(200), maxBatchLength: 2000 + below(20_000) }),
    createLocalSource(),
  ).client;
  let recordedByTest = 0;
  const balance = () => {
    const { recorded, delivered, pending, dropped } = client.stats();
    expect(recorded).toBe(delivered + pending + dropped);
    expect(pending).toBeGreaterThanOrEqual(0);
    return { recorded, delivered, pending, dropped };
  };
  for (let step = 0; step < 25; step++) {
    for (let i = below(30); i > 0; i--) {
      client.flag(['b', 'c', 'missing', `odd-${below(50)}`][below(4)]!, { user_key: `u${below(9)}` }, '');
      recordedByTest++;
    }
    if (below(3) === 0) {
      client.track('bought', { user_key: 'u' });
      recordedByTest++;
    }
    const chance = below(12);
    if (chance === 0) client.flush();
    if (chance === 1) handles().flushAtOnce();
    if (chance === 2) handles().receive({ data: createTestRuleset(flags, step + 2), tag: null });
    await clock.advance(below(8000));
    balance();
  }
  expect(client.stats().recorded).toBe(recordedByTest);
  server.script('/sdk/events', ({ body }) => {
    const batch = JSON.parse(body) as EventBatch;
    taken.set(
      batch.batch_id,
      batch.events.reduce((sum, event) => sum + countOf(event), 0),
    );
    return { status: 202 };
  });
  await clock.advance(1_200_000);
  const { delivered, pending, dropped } = balance();
  expect(pending).toBe(0);
  expect(delivered + dropped).toBe(recordedByTest);
  // The server may store a batch and refuse its retry, but it never has fewer events than it acknowledged.
  const held = [...taken.values()].reduce((sum, count) => sum + count, 0);
  expect(held).toBeGreaterThanOrEqual(delivered);
  expect(held).toBeLessThanOrEqual(recordedByTest);
};

test('recorded equals delivered plus pending plus dropped in 1,000 random fault schedules', async () => {
  for (let seed = 0; seed < 1000; seed++) await runSchedule(seed);
}, 60_000);
