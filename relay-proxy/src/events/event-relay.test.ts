import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyGrant } from '@flagsvc/reference-server/data-plane';
import type { DiagnosticEvent, EventBatch } from '@flagsvc/sdk-core';
import type { Reply } from '@flagsvc/sdk-core/client';
import { createSimulatedClock, type SimulatedClock } from '@flagsvc/sdk-core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEventRelay, type EventRelay } from './event-relay.ts';

const HOUR = 3_600_000;
const grant = { environmentId: 'env_1', kind: 'server' } as KeyGrant;
const quiet = { warn: () => {}, error: () => {} };

let folder: string;
let clock: SimulatedClock;
let relay: EventRelay;
let sent: string[];
/** The losses that the relay reported. */
let reported: DiagnosticEvent[];
/** What the server answers to the batch with this id. */
let answer: (batchId: string) => Reply;

const open = async (maxBytes = 2 ** 20): Promise<void> => {
  relay = createEventRelay({
    folderOf: (id) => join(folder, id),
    maxBytes,
    clock,
    random: () => 0.5,
    version: '1.2.3',
    log: quiet,
  });
  await relay.follow('env_1', {
    async sendEvents(json) {
      const { batch_id, sdk, events } = JSON.parse(json) as EventBatch;
      const isReport = sdk?.name === 'flagsvc-relay';
      const reply = answer(isReport ? 'report' : batch_id);
      if (reply.status !== 202) return reply;
      if (isReport) reported.push(...(events as DiagnosticEvent[]));
      // The server recognizes a repeated batch.
      else if (!sent.includes(batch_id)) sent.push(batch_id);
      return reply;
    },
  });
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flagsvc-events-'));
  clock = createSimulatedClock();
  sent = [];
  reported = [];
  answer = () => ({ status: 202 });
  await open();
});
afterEach(async () => {
  await relay.close();
  await rm(folder, { recursive: true });
});

const accept = (batch_id: string, text = '') =>
  relay.accept(
    grant,
    { batch_id, events: [{ type: 'track', id: batch_id, text }] } as unknown as EventBatch,
    [],
  );
/** Lets simulated time pass until the condition holds; files are read and written in real time. */
const until = async (isMet: () => boolean, stepMs = 100): Promise<void> => {
  for (let round = 0; !isMet() && round < 5_000; round++) {
    await clock.advance(stepMs);
    await wait(1);
  }
  expect(isMet()).toBe(true);
};

test('forwards batches in their order, and removes what was forwarded', async () => {
  for (const id of ['a', 'b', 'c']) expect(await accept(id)).toMatchObject({ batch_id: id, accepted: 1 });
  await until(() => sent.length === 3 && relay.bytes() === 0);
  expect(sent).toEqual(['a', 'b', 'c']);
  expect(relay.counts).toMatchObject({ received: 3, forwarded: 3 });
  await expect.poll(() => readdir(join(folder, 'env_1'))).toEqual([]);
});

test.each([0, 400, 401, 403, 404, 408, 413, 415, 422, 429, 500, 502, 503])(
  'keeps batches while the status %i comes without an error of the server',
  async (status) => {
    answer = () => ({ status });
    await accept('a');
    for (let hour = 0; hour < 5; hour++) {
      await clock.advance(HOUR);
      await wait(2);
    }
    expect([sent, relay.counts.dropped]).toEqual([
      [],
      { spool_full: 0, too_old: 0, rejected: 0, damaged: 0 },
    ]);
    answer = () => ({ status: 202 });
    await until(() => sent.length === 1, 5_000);
  },
);

test('forwards what an earlier process left, even if its last record was cut off', async () => {
  answer = () => ({ status: 0 });
  await accept('a');
  await accept('b');
  await relay.close();
  const [name] = await readdir(join(folder, 'env_1'));
  await writeFile(join(folder, 'env_1', name!), '\n{"at":12,"events":1,"js', { flag: 'a' });
  answer = () => ({ status: 202 });
  await open();
  await until(() => sent.length === 2 && relay.bytes() === 0);
  expect([sent, relay.counts.dropped.damaged]).toEqual([['a', 'b'], 1]);
  await until(() => reported.length === 1);
  expect(reported).toEqual([{ type: 'diagnostic', dropped_events: 1, cause: 'damaged' }]);
});

test('drops a batch that the server will never take, and goes on', async () => {
  answer = (id) =>
    id === 'bad' ? { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } } : { status: 202 };
  for (const id of ['a', 'bad', 'b']) await accept(id);
  await until(() => sent.length === 2);
  expect([sent, relay.counts.dropped.rejected]).toEqual([['a', 'b'], 1]);
  await until(() => reported.length === 1);
  expect(reported).toEqual([{ type: 'diagnostic', dropped_events: 1, cause: 'rejected' }]);
});

test('sends other batches while the server fails on one, and that one as soon as the server takes it', async () => {
  answer = (id) => ({ status: id === 'bad' ? 500 : 202 });
  for (const id of ['bad', 'a', 'b']) await accept(id);
  await until(() => sent.length === 2, 1_000);
  expect([sent, relay.counts.dropped.rejected]).toEqual([['a', 'b'], 0]);
  await accept('c');
  await until(() => sent.length === 3);
  // It survives a restart.
  await relay.close();
  await open();
  await accept('d');
  await until(() => sent.length === 4);
  answer = () => ({ status: 202 });
  await until(() => sent.length === 5 && relay.bytes() === 0, 1_000);
  expect(sent).toEqual(['a', 'b', 'c', 'd', 'bad']);
});

test('drops a batch on which the server fails for 72 hours, and reports it', async () => {
  answer = (id) => ({ status: id === 'bad' ? 500 : 202 });
  await accept('bad');
  for (let hour = 0; hour < 73; hour++) {
    await clock.advance(HOUR);
    await wait(2);
  }
  await until(() => reported.length === 1);
  expect(reported).toEqual([{ type: 'diagnostic', dropped_events: 1, cause: 'too_old' }]);
  expect([sent, relay.counts.dropped.too_old]).toEqual([[], 1]);
});

test('takes a repeated batch once, also while the first is being written', async () => {
  const [first, second] = await Promise.all([accept('a'), accept('a')]);
  expect([first, second]).toMatchObject([{ accepted: 1 }, { accepted: 1, duplicate: true }]);
  await until(() => sent.length === 1 && relay.bytes() === 0);
  expect(await accept('a')).toMatchObject({ batch_id: 'a', duplicate: true });
  await clock.advance(10_000);
  expect([sent, relay.counts.received]).toEqual([['a'], 1]);
});

test('does not keep long receipts in memory, nor mix up the batches of two environments', async () => {
  const rejected = Array.from({ length: 1_000 }, (_, index) => ({ index, code: 'INVALID', message: 'x' }));
  const batch = { batch_id: 'a', events: [{ type: 'track', id: 'a' }] } as unknown as EventBatch;
  expect((await relay.accept(grant, batch, rejected)).rejected).toHaveLength(1_000);
  expect(await relay.accept(grant, batch, [])).not.toHaveProperty('duplicate');
  await relay.follow('env_2', { sendEvents: async () => ({ status: 202 }) });
  const other = { ...grant, environmentId: 'env_2' };
  expect(await relay.accept(other, batch, [])).not.toHaveProperty('duplicate');
  expect(await relay.accept(other, batch, [])).toHaveProperty('duplicate', true);
});

test('forwards no report of losses from a page, whose key anybody can read', async () => {
  const report = { type: 'diagnostic', dropped_events: 1_000_000 };
  const events = [report, { type: 'track', id: 'a' }];
  await relay.accept({ ...grant, kind: 'client' }, { batch_id: 'page', events } as unknown as EventBatch, []);
  await until(() => sent.length === 1 && relay.bytes() === 0);
  expect(relay.counts).toMatchObject({ received: 1, forwarded: 1 });
});

test('takes a batch that could not be written before', async () => {
  const path = join(folder, 'env_1');
  await writeFile(path, 'a file in place of the folder');
  await expect(accept('a')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await rm(path);
  expect(await accept('a')).not.toHaveProperty('duplicate');
  await until(() => sent.length === 1);
});

test('drops batches older than 72 hours, which the server might count twice', async () => {
  answer = () => ({ status: 0 });
  await accept('old');
  await clock.advance(HOUR);
  await accept('young');
  await clock.advance(71 * HOUR + 1_000);
  answer = () => ({ status: 202 });
  // The old one may have been set aside for the young one.
  await until(() => sent.length === 1 && relay.counts.dropped.too_old === 1);
  expect(sent).toEqual(['young']);
  await until(() => reported.length === 1);
  expect(reported).toEqual([{ type: 'diagnostic', dropped_events: 1, cause: 'too_old' }]);
});

test('drops the oldest batches when the disk space is used up, and counts them', async () => {
  await relay.close();
  await open(2 ** 20);
  answer = () => ({ status: 503 });
  const count = 60;
  for (let index = 0; index < count; index++) {
    await accept(`${index}`, 'x'.repeat(50_000));
    await clock.advance(1_000);
    await wait(1);
  }
  expect(relay.bytes()).toBeLessThanOrEqual(2 ** 20);
  answer = () => ({ status: 202 });
  await until(() => relay.bytes() === 0);
  const { received, forwarded, dropped } = relay.counts;
  expect(received).toBe(count);
  expect(forwarded + dropped.spool_full).toBe(count);
  expect(dropped.spool_full).toBeGreaterThan(0);
  expect(sent.at(-1)).toBe(`${count - 1}`);
  // Reports that were dropped themselves are written again.
  await until(() => reported.reduce((sum, report) => sum + report.dropped_events, 0) >= dropped.spool_full);
  expect(reported.map(({ cause }) => cause)).toEqual(reported.map(() => 'spool_full'));
  expect(reported.reduce((sum, report) => sum + report.dropped_events, 0)).toBe(dropped.spool_full);
});

test('events of pages displace no events of back ends', async () => {
  await relay.close();
  await open(2 ** 20);
  answer = () => ({ status: 503 });
  await accept('of a back end', 'x'.repeat(50_000));
  for (let index = 0; index < 60; index++) {
    const events = [{ type: 'track', id: `${index}`, text: 'x'.repeat(50_000) }];
    const batch = { batch_id: `page ${index}`, events } as unknown as EventBatch;
    await relay.accept({ ...grant, kind: 'client' }, batch, []);
    await clock.advance(1_000);
    await wait(1);
  }
  expect(relay.bytes()).toBeLessThanOrEqual(2 ** 20);
  expect(relay.counts.dropped.spool_full).toBeGreaterThan(0);
  answer = () => ({ status: 202 });
  await until(() => relay.bytes() === 0);
  expect(sent).toContain('of a back end');
});

test('leaves back ends half of the limit that the server has for the relay', async () => {
  const limit = 60;
  const times: number[] = [];
  answer = () => {
    times.push(clock.monotonic());
    return { status: 202, header: (name) => (name === 'x-ratelimit-limit' ? `${limit}` : null) };
  };
  const batch = (name: string) =>
    ({ batch_id: name, events: [{ type: 'track', id: name }] }) as unknown as EventBatch;
  for (let index = 0; index < 40; index++)
    await relay.accept({ ...grant, kind: 'client' }, batch(`page ${index}`), []);
  await until(() => times.length === 40);
  const minutes = (times.at(-1)! - times[0]!) / 60_000;
  expect(times.length / minutes).toBeLessThanOrEqual((limit / 2) * 1.05);
  const before = clock.monotonic();
  for (let index = 0; index < 40; index++) await accept(`${index}`);
  await until(() => times.length === 80);
  expect(clock.monotonic() - before).toBeLessThan(10_000);
});

test('waits for a limit of the server without setting the batch aside', async () => {
  answer = () => ({ status: 429, header: (name) => (name === 'retry-after' ? '60' : null) });
  for (const id of ['a', 'b', 'c']) await accept(id);
  for (let minute = 0; minute < 20; minute++) {
    await clock.advance(60_000);
    await wait(2);
  }
  answer = () => ({ status: 202 });
  await until(() => sent.length === 3, 5_000);
  expect(sent).toEqual(['a', 'b', 'c']);
});

test('a record of another shape counts as damaged, and spoils no other', async () => {
  answer = () => ({ status: 0 });
  await accept('a');
  await relay.close();
  const [name] = await readdir(join(folder, 'env_1'));
  const right = { at: clock.now(), events: 1, json: '{}' };
  const wrong = [
    ...[null, 1, [], 'x', {}, { ...right, events: -1 }, { ...right, events: 1e300 }, { ...right, json: {} }],
    ...[null, 5, { too_old: 'x' }, { too_old: { toString: 1 } }].map((losses) => ({ ...right, losses })),
  ];
  const text = wrong.map((record) => `\n${JSON.stringify(record)}`).join('');
  await writeFile(join(folder, 'env_1', name!), text, { flag: 'a' });
  answer = () => ({ status: 202 });
  await open();
  await accept('b');
  await until(() => sent.length === 2 && relay.bytes() === 0);
  expect([sent, relay.counts.dropped.damaged]).toEqual([['a', 'b'], wrong.length]);
});

test('sends what waited during an outage at no more than twice the normal rate', async () => {
  answer = () => ({ status: 0 });
  const perSecond = 20;
  const times: number[] = [];
  for (let second = 0; second < 120; second++) {
    for (let index = 0; index < perSecond; index++) await accept(`${second}-${index}`);
    await clock.advance(1_000);
  }
  answer = () => {
    times.push(clock.monotonic());
    return { status: 202 };
  };
  await until(() => times.length > 0, 1_000);
  // At most one batch is sent in each step.
  await until(() => sent.length >= 400, 5);
  const seconds = (times.at(-1)! - times[0]!) / 1_000;
  const rate = times.length / seconds / perSecond;
  expect(rate).toBeLessThanOrEqual(2 * 1.05);
  expect(rate).toBeGreaterThan(1);
});
