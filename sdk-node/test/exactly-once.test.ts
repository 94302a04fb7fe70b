/** Batches whose answers are lost are retried and counted once. A simulated network keeps this fast. */
import type { EventBatch } from '@flagsvc/sdk-core';
import { createClient, createLocalSource } from '@flagsvc/sdk-core/client';
import { createSeededRandom, createTestPorts, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';

const BATCHES = Number(process.env['FLAGSVC_BATCHES'] ?? 10_000);
const SEED = Number(process.env['FLAGSVC_SEED'] ?? 7);

test(`${BATCHES} batches with lost answers arrive exactly once`, { timeout: 600_000 }, async () => {
  const random = createSeededRandom(SEED);
  const data = createTestRuleset({ a: true, b: 'x', c: 1 });
  const { clock, server, config } = createTestPorts({ seed: SEED, saved: { data, tag: '"v1"' } });
  server.script('/sdk/ruleset', { status: 304 });
  /** The bodies of the batches that the server has stored, by id. */
  const taken = new Map<string, string>();
  let lost = 0;
  let isKind = false;
  server.script('/sdk/events', ({ body }) => {
    const fate = isKind ? 1 : random();
    const { batch_id } = JSON.parse(body) as EventBatch;
    // One of five batches is lost before it arrives.
    if (fate < 0.2) return { error: new TypeError('reset') };
    // A retry has the same batch id.
    expect(taken.get(batch_id) ?? body).toBe(body);
    taken.set(batch_id, body);
    if (fate > 0.5) return { status: 202 };
    lost++;
    if (fate < 0.3) return { error: new TypeError('reset') };
    // A gateway answers with an error although the server has stored the batch.
    return fate < 0.4 ? { delayMs: Number.POSITIVE_INFINITY } : { status: 502 };
  });
  const { client } = createClient(config(), createLocalSource());
  const recorded = new Map<string, number>();
  const note = (key: string) => recorded.set(key, (recorded.get(key) ?? 0) + 1);
  while (taken.size < BATCHES) {
    const user_key = `u${taken.size % 10}`;
    for (const key of ['a', 'b', 'c', 'gone'].slice(Math.floor(random() * 4))) {
      client.flag(key, { user_key }, key === 'b' ? '' : key === 'c' ? 0 : false);
      note(key);
    }
    if (random() < 0.1) {
      client.track('bought', { user_key });
      note('bought');
    }
    await clock.advance(random() * 30_000);
  }
  isKind = true;
  await clock.advance(600_000);
  expect(lost).toBeGreaterThan(BATCHES / 5);

  const total = [...recorded.values()].reduce((sum, count) => sum + count, 0);
  expect(client.stats()).toMatchObject({ recorded: total, delivered: total, pending: 0, dropped: 0 });
  const arrived = new Map<string, number>();
  const count = (key: string, times: number) => arrived.set(key, (arrived.get(key) ?? 0) + times);
  for (const body of taken.values()) {
    for (const event of (JSON.parse(body) as EventBatch).events) {
      if (event.type === 'track') count(event.event_name, 1);
      if (event.type === 'summary')
        for (const counter of event.counters) count(counter.flag_key, counter.count);
    }
  }
  expect(Object.fromEntries(arrived)).toEqual(Object.fromEntries(recorded));
});
