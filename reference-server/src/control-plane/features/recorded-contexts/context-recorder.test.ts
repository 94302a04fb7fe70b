import type { Context } from '@flagsvc/sdk-core';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../../test/server.ts';
import type { PublishedRuleset } from '../../../data-plane/ports.ts';
import { createServingPath } from '../../../data-plane/serving-path.ts';
import { createContextRecorder, type StoredContextRecorder } from './context-recorder.ts';
import { readContexts, storeContexts } from './context-store.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const HOUR = 3_600_000;
const ruleset = {
  ...createTestRuleset({}, 1),
  segments: [{ id: 'seg_1', key: 's', conditions: [{ attribute: 'n', operator: 'gt', value: 0 }] }],
} as ReturnType<typeof createTestRuleset>;

let server: TestServer;
let published: PublishedRuleset;
let time: number;
let faults: unknown[];

beforeEach(async () => {
  server = await startServer();
  const environment_id = server.environments.production;
  await server.db
    .updateTable('environments')
    .set({ record_contexts: 1 })
    .where('id', '=', environment_id)
    .execute();
  published = await createServingPath({ fast: true }).prepare({ ...ruleset, environment_id }, 'epoch');
  time = START;
  faults = [];
});
afterEach(async () => {
  expect(faults).toEqual([]);
  await server.close();
});

/** A seeded random generator (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function createRecorder(seed = 1): StoredContextRecorder {
  const { db } = server;
  const apiSecretKey = 'a-secret-key-of-at-least-32-characters';
  const onError = (error: unknown) => faults.push(error);
  return createContextRecorder({ db, apiSecretKey, now: () => time, random: createRandom(seed), onError });
}

/** Records contexts that are numbered from `from` up to, but not including, `to`. */
function meet(recorder: StoredContextRecorder, from: number, to: number): void {
  for (let n = from; n < to; n++) recorder.record(published, { user_key: `u${n}`, attributes: { n } });
}
async function numbers(): Promise<number[]> {
  const contexts = (await readContexts(server.db, published.environmentId, time)) ?? [];
  return contexts.map(({ attributes }: Context) => attributes!['n'] as number);
}

test('the recorder keeps a uniform sample of a thousand contexts, whether they come in one burst or in many', async () => {
  for (const bursts of [1, 20]) {
    await server.db.deleteFrom('recorded_contexts').execute();
    const recorder = createRecorder(bursts);
    await recorder.refresh();
    for (let burst = 0; burst < bursts; burst++) {
      meet(recorder, (burst * 20_000) / bursts, ((burst + 1) * 20_000) / bursts);
      await recorder.refresh();
    }
    const kept = await numbers();
    expect(kept).toHaveLength(1_000);
    const quarters = [0, 0, 0, 0];
    for (const n of kept) quarters[Math.floor(n / 5_000)]! += 1;
    for (const count of quarters) expect(count).toBeGreaterThan(200);
  }
});

test('the samples of several processes are merged into one', async () => {
  const recorders = [createRecorder(1), createRecorder(2)];
  for (const recorder of recorders) await recorder.refresh();
  meet(recorders[0]!, 0, 9_000);
  meet(recorders[1]!, 9_000, 10_000);
  for (const recorder of recorders) await recorder.refresh();
  const fromSecond = (await numbers()).filter((n) => n >= 9_000).length;
  expect(fromSecond).toBeGreaterThan(60);
  expect(fromSecond).toBeLessThan(140);
});

test('new contexts replace old ones gradually', async () => {
  const recorder = createRecorder();
  await recorder.refresh();
  meet(recorder, 0, 5_000);
  await recorder.refresh();
  time += 4 * HOUR;
  await recorder.refresh();
  meet(recorder, 5_000, 10_000);
  await recorder.refresh();
  // After four hours, an old context is half as likely to be kept as a new one, so two thirds are new.
  const fresh = (await numbers()).filter((n) => n >= 5_000).length;
  expect(fresh).toBeGreaterThan(600);
  expect(fresh).toBeLessThan(740);
});

test('equal contexts are kept once', async () => {
  const recorder = createRecorder();
  await recorder.refresh();
  for (let round = 0; round < 3; round++) {
    for (let time = 0; time < 100; time++) meet(recorder, 7, 8);
    await recorder.refresh();
  }
  expect(await numbers()).toEqual([7]);
});

test('a context that arrives during a write is not lost', async () => {
  const recorder = createRecorder();
  await recorder.refresh();
  meet(recorder, 0, 10);
  const writing = recorder.refresh();
  meet(recorder, 10, 20);
  await writing;
  meet(recorder, 20, 30);
  await recorder.stop();
  expect((await numbers()).sort((left, right) => left - right)).toEqual(
    Array.from({ length: 30 }, (_, n) => n),
  );
});

test('the recorder accepts any value as a context', async () => {
  const recorder = createRecorder();
  await recorder.refresh();
  for (const attributes of [undefined, { n: null }, { n: { toString: 1 } }, { n: [[]] }, { n: 10n }]) {
    recorder.record(published, { user_key: 'u', attributes } as unknown as Context);
  }
  await recorder.refresh();
  expect(await numbers().catch(() => [])).toEqual([]);
  const rows = await server.db.selectFrom('recorded_contexts').select('context_json').execute();
  expect(rows).toHaveLength(1);
});

test('nothing is stored for an environment that has stopped recording', async () => {
  const context = { json: '{"user_key":"anon-1"}', rank: 1, recordedAt: new Date(START).toISOString() };
  await storeContexts(
    server.db,
    { id: server.environments.staging, revision: 1 },
    { contexts: [context], now: START },
  );
  expect(await server.db.selectFrom('recorded_contexts').selectAll().execute()).toEqual([]);
});
