import type { EvaluationEvent, EventBatch } from '@flagsvc/sdk-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import type { EventSink, KeyGrant } from '../../../data-plane/ports.ts';
import type { Database } from '../../../storage/database.ts';
import { createEventSink } from './event-sink.ts';

const grant: KeyGrant = {
  keyId: 'key_1',
  kind: 'server',
  environmentId: 'env_1',
  projectId: 'prj_1',
  organizationId: 'org_1',
};
const START = Date.parse('2026-11-20T10:30:00.000Z');

let db: Database;
let sink: EventSink;
let time: number;

beforeEach(async () => {
  db = await openTestDatabase();
  time = START;
  sink = createEventSink({ db, now: () => time });
});
afterEach(() => db.destroy());

function batch(batch_id: string, ...events: EvaluationEvent[]): EventBatch {
  return { batch_id, sent_at: '2026-11-20T10:30:00.000Z', sdk: { name: 'test', version: '1' }, events };
}

function summary(flag_key: string, count: number, start = '2026-11-20T10:05:00.000Z'): EvaluationEvent {
  const counter = {
    flag_key,
    variation_key: null,
    reason: 'DEFAULT',
    rule_id: null,
    ruleset_version: 1,
    count,
  } as const;
  return { type: 'summary', start, end: '2026-11-20T10:29:00.000Z', counters: [counter, counter] };
}

function exposure(id: string): EvaluationEvent {
  return {
    type: 'exposure',
    id,
    timestamp: '2026-11-20T11:29:00+01:00',
    flag_key: 'cta',
    variation_key: 'b',
    reason: 'PERCENTAGE_ROLLOUT',
    rule_id: 'rule_1',
    user_key: 'u"1',
    ruleset_version: 481,
  };
}

test('counters are summed by hour', async () => {
  await sink.accept(grant, batch('1', summary('a', 3), summary('b', 1)), []);
  await sink.accept(grant, batch('2', summary('a', 4), summary('a', 5, '2026-11-20T11:00:00.000+01:00')), []);
  await sink.accept(grant, batch('3', summary('a', 1, '2026-11-20T09:59:59.999Z')), []);
  const rows = await db
    .selectFrom('counters_hourly')
    .selectAll()
    .orderBy('hour')
    .orderBy('flag_key')
    .execute();
  expect(rows.map(({ hour, flag_key, count }) => [hour, flag_key, count])).toEqual([
    ['2026-11-20T09:00:00.000Z', 'a', 2],
    ['2026-11-20T10:00:00.000Z', 'a', 24],
    ['2026-11-20T10:00:00.000Z', 'b', 2],
  ]);
  expect(rows[0]).toMatchObject({
    organization_id: 'org_1',
    variation_key: '',
    rule_id: '',
    reason: 'DEFAULT',
  });
});

test('a repeated batch gets the first receipt and is not counted again', async () => {
  const sent = batch('same', summary('a', 1), exposure('x'));
  const rejected = [{ index: 2, code: 'UNKNOWN_TYPE', message: 'The type of the event is not known.' }];
  const first = await sink.accept(grant, sent, rejected);
  expect(first).toEqual({ batch_id: 'same', accepted: 2, duplicates: 0, rejected });
  expect(await sink.accept(grant, sent, [])).toEqual({ ...first, duplicate: true });
  const { count } = await db.selectFrom('counters_hourly').select('count').executeTakeFirstOrThrow();
  expect(count).toBe(2);
});

test('batches of different environments are different even if their ids are equal', async () => {
  await sink.accept(grant, batch('same', exposure('x')), []);
  const other = await sink.accept({ ...grant, environmentId: 'env_2' }, batch('same', exposure('x')), []);
  expect(other).toMatchObject({ accepted: 1, duplicates: 0 });
  expect(other).not.toHaveProperty('duplicate');
});

test('a repeated batch is recognized for 72 hours', async () => {
  await sink.accept(grant, batch('same', summary('a', 1)), []);
  time += 72 * 3_600_000;
  expect(await sink.accept(grant, batch('same', summary('a', 1)), [])).toHaveProperty('duplicate', true);
  time += 1;
  expect(await sink.accept(grant, batch('same', summary('a', 1)), [])).not.toHaveProperty('duplicate');
});

test('exposures and track events are stored once per id', async () => {
  const track: EvaluationEvent = {
    type: 'track',
    id: 't',
    timestamp: '2026-11-20T10:00:00.000Z',
    event_name: 'purchase',
    user_key: 'u1',
    value: 5,
    properties: { currency: 'EUR' },
  };
  const receipt = await sink.accept(
    grant,
    batch('1', exposure('x'), exposure('x'), exposure('y'), track),
    [],
  );
  expect(receipt).toMatchObject({ accepted: 3, duplicates: 1 });
  expect(await sink.accept(grant, batch('2', exposure('y'), track), [])).toMatchObject({
    accepted: 0,
    duplicates: 2,
  });
  expect(await db.selectFrom('exposures').selectAll().orderBy('id').executeTakeFirst()).toEqual({
    organization_id: 'org_1',
    environment_id: 'env_1',
    id: 'x',
    timestamp: '2026-11-20T10:29:00.000Z',
    flag_key: 'cta',
    variation_key: 'b',
    reason: 'PERCENTAGE_ROLLOUT',
    rule_id: 'rule_1',
    user_key: 'u"1',
    user_key_hashed: 0,
    experiment_key: null,
    ruleset_version: 481,
    unit_by: null,
    unit_key: null,
  });
  expect(await db.selectFrom('track_events').selectAll().executeTakeFirst()).toMatchObject({
    value: 5,
    properties_json: '{"currency":"EUR"}',
  });
});

test('events record whether their user key is hashed', async () => {
  const hashed = { ...exposure('h'), user_key_hashed: true, experiment_key: 'cta-test' } as EvaluationEvent;
  const track = {
    type: 'track',
    timestamp: '2026-11-20T10:00:00.000Z',
    event_name: 'buy',
    user_key: 'u',
  } as const;
  const tracks = [
    { ...track, id: 'a' },
    { ...track, id: 'b', user_key_hashed: true },
  ];
  await sink.accept(grant, batch('1', exposure('x'), hashed, ...tracks), []);
  const rows = await db.selectFrom('exposures').selectAll().orderBy('id').execute();
  expect(
    rows.map(({ id, user_key, user_key_hashed, experiment_key }) => [
      id,
      user_key,
      user_key_hashed,
      experiment_key,
    ]),
  ).toEqual([
    ['h', 'u"1', 1, 'cta-test'],
    ['x', 'u"1', 0, null],
  ]);
  const marks = await db.selectFrom('track_events').select(['id', 'user_key_hashed']).orderBy('id').execute();
  expect(marks).toEqual([
    { id: 'a', user_key_hashed: 0 },
    { id: 'b', user_key_hashed: 1 },
  ]);
});

test('units are kept, with and without a user key', async () => {
  const { user_key: _, ...anonymous } = exposure('x1') as { user_key?: string } & EvaluationEvent;
  const track = {
    type: 'track',
    id: 't1',
    timestamp: '2026-11-20T10:29:00.000Z',
    event_name: 'buy',
  } as const;
  await sink.accept(
    grant,
    batch('units', { ...anonymous, unit: { by: 'company_id', key: 'c1' } } as EvaluationEvent, {
      ...track,
      units: { company_id: 'c1' },
    }),
    [],
  );
  const exposed = await db.selectFrom('exposures').select(['user_key', 'unit_by', 'unit_key']).execute();
  expect(exposed).toEqual([{ user_key: '', unit_by: 'company_id', unit_key: 'c1' }]);
  const tracked = await db.selectFrom('track_events').select(['user_key', 'units_json']).execute();
  expect(tracked).toEqual([{ user_key: '', units_json: '{"company_id":"c1"}' }]);
});
