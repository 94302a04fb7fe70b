import type { EvaluationEvent } from '@flagsvc/sdk-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventDatabase } from '../../../storage/database.ts';
import type { EventStore, ReceivedBatch } from './event-store.ts';
import { createEventStore } from './store/create-event-store.ts';

const START = Date.parse('2026-11-20T10:30:00.000Z');
const DAY = 86_400_000;

/** An open database of events, without rows. */
export interface OpenEvents {
  readonly db: EventDatabase;
  close(): Promise<void>;
}

/** What every event store promises, whatever its engine. */
export function testEventStore(open: () => Promise<OpenEvents>): void {
  let events: OpenEvents;
  let store: EventStore;
  let time: number;
  beforeEach(async () => {
    events = await open();
    time = START;
    store = createEventStore({ db: events.db, now: () => time });
  });
  afterEach(() => events.close());

  const own = { organizationId: 'org_1', environmentId: 'env_1' };
  const batch = (batchId: string, ...list: EvaluationEvent[]): ReceivedBatch => ({
    ...own,
    batchId,
    events: list,
    rejected: [],
  });
  const write = async (one: ReceivedBatch) => (await store.write([one]))[0]!;
  const counters = () =>
    events.db.selectFrom('counters_hourly').selectAll().orderBy('hour').orderBy('flag_key').execute();
  const exposures = () => events.db.selectFrom('exposures_by_day').selectAll().orderBy('id').execute();
  const tracks = () => events.db.selectFrom('track_events_by_day').selectAll().orderBy('id').execute();

  test('counters are summed by hour, within a batch and across batches', async () => {
    await store.write([
      batch('1', summary('a', 3), summary('b', 1)),
      batch('2', summary('a', 4), summary('a', 5, '2026-11-20T11:00:00.000+01:00')),
    ]);
    await write(batch('3', summary('a', 1, '2026-11-20T09:59:59.999Z')));
    const rows = await counters();
    expect(rows.map(({ hour, flag_key, count }) => [hour, flag_key, count])).toEqual([
      ['2026-11-20T09:00:00.000Z', 'a', 2],
      ['2026-11-20T10:00:00.000Z', 'a', 24],
      ['2026-11-20T10:00:00.000Z', 'b', 2],
    ]);
    expect(rows[0]).toMatchObject({ organization_id: 'org_1', variation_key: '', rule_id: '' });
  });

  test('a repeated batch gets the first receipt and is not counted again', async () => {
    const rejected = [{ index: 2, code: 'UNKNOWN_TYPE', message: 'The type of the event is not known.' }];
    const sent = { ...batch('same', summary('a', 1), exposure('x')), rejected };
    const first = await write(sent);
    expect(first).toEqual({ batch_id: 'same', accepted: 2, duplicates: 0, rejected });
    expect(await write({ ...sent, rejected: [] })).toEqual({ ...first, duplicate: true });
    expect((await counters()).map(({ count }) => count)).toEqual([2]);
  });

  test('a batch that is sent twice within one group is counted once', async () => {
    const sent = batch('same', summary('a', 1), exposure('x'));
    const [first, second, other] = await store.write([sent, sent, batch('other', exposure('x'))]);
    expect(first).toEqual({ batch_id: 'same', accepted: 2, duplicates: 0, rejected: [] });
    expect(second).toEqual({ ...first, duplicate: true });
    expect(other).toMatchObject({ batch_id: 'other', accepted: 0, duplicates: 1 });
    expect((await counters()).map(({ count }) => count)).toEqual([2]);
  });

  test('batches of different environments are different even if their ids are equal', async () => {
    const sent = batch('same', exposure('x'));
    const [, other] = await store.write([sent, { ...sent, environmentId: 'env_2' }]);
    expect(other).toEqual({ batch_id: 'same', accepted: 1, duplicates: 0, rejected: [] });
    expect(await write({ ...sent, organizationId: 'org_2' })).not.toHaveProperty('duplicate');
    expect(await exposures()).toHaveLength(3);
  });

  test('a repeated batch is recognized for 72 hours', async () => {
    await write(batch('same', summary('a', 1)));
    time += 3 * DAY;
    expect(await write(batch('same', summary('a', 1)))).toHaveProperty('duplicate', true);
    time += 1;
    expect(await write(batch('same', summary('a', 1)))).not.toHaveProperty('duplicate');
  });

  test('exposures and track events are stored once for each id and time', async () => {
    const receipt = await write(batch('1', exposure('x'), exposure('x'), exposure('y'), track('t')));
    expect(receipt).toMatchObject({ accepted: 3, duplicates: 1 });
    expect(await write(batch('2', exposure('y'), track('t')))).toMatchObject({ accepted: 0, duplicates: 2 });
    // An exposure and a track event may have the same id.
    expect(await write(batch('3', exposure('t')))).toMatchObject({ accepted: 1, duplicates: 0 });
    expect((await exposures()).map(({ id }) => id)).toEqual(['t', 'x', 'y']);
    expect((await exposures())[1]).toEqual({
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
    expect(await tracks()).toMatchObject([{ id: 't', value: 5, properties_json: '{"currency":"EUR"}' }]);
  });

  test('single events keep hashes, experiments, and units with and without a user key', async () => {
    const { user_key: _, ...anonymous } = exposure('unit') as { user_key?: string } & EvaluationEvent;
    await write(
      batch(
        'units',
        { ...exposure('hashed'), user_key_hashed: true, experiment_key: 'cta-test' } as EvaluationEvent,
        { ...anonymous, unit: { by: 'company_id', key: 'c1' } } as EvaluationEvent,
        { ...track('t'), user_key_hashed: true, units: { company_id: 'c1' } } as EvaluationEvent,
      ),
    );
    expect(await exposures()).toMatchObject([
      { id: 'hashed', user_key_hashed: 1, experiment_key: 'cta-test', unit_by: null },
      { id: 'unit', user_key: '', unit_by: 'company_id', unit_key: 'c1' },
    ]);
    expect(await tracks()).toMatchObject([{ user_key_hashed: 1, units_json: '{"company_id":"c1"}' }]);
  });

  test('events of several days are kept, the first and the last accepted one included', async () => {
    const days = [-3, -2, -1, 0, 1].map((day) => new Date(START + day * DAY).toISOString());
    const midnight = '2026-11-19T00:00:00.000Z';
    const list = [...days, midnight].map((timestamp, index) => ({ ...track(`t${index}`), timestamp }));
    expect(await write(batch('days', ...(list as EvaluationEvent[])))).toMatchObject({ accepted: 6 });
    expect((await tracks()).map(({ timestamp }) => timestamp)).toEqual([...days, midnight]);
  });

  test('a group with a text that cannot be stored changes nothing', async () => {
    const bad = { ...track('bad'), event_name: 'a\0b' } as EvaluationEvent;
    await expect(store.write([batch('good', summary('a', 1)), batch('bad', bad)])).rejects.toThrow('U+0000');
    expect([await counters(), await tracks()]).toEqual([[], []]);
    expect(await write(batch('good', summary('a', 1)))).not.toHaveProperty('duplicate');
  });

  test('counts are read by hour, by period and by what was served', async () => {
    const on = { variation_key: 'on', reason: 'TARGETING_RULE' as const };
    await store.write([
      batch('1', counted('a', 3, '2026-11-20T10:00:00.000Z', on), summary('b', 2)),
      batch(
        '2',
        counted('a', 4, '2026-11-19T10:00:00.000Z'),
        counted('a', 1, '2026-11-20T09:00:00.000Z', on),
      ),
      { ...batch('3', counted('a', 5, '2026-11-20T10:00:00.000Z', on)), environmentId: 'env_2' },
    ]);
    const of = {
      organizationId: 'org_1',
      environmentIds: ['env_1', 'env_2'],
      since: '2026-11-20T09:00:00.000Z',
    };
    const hours = await store.countByHour({ ...of, flagKeys: ['a'] });
    expect([...hours].sort((one, other) => (one.hour < other.hour ? -1 : 1))).toEqual([
      { flag_key: 'a', hour: '2026-11-20T09:00:00.000Z', count: 1 },
      { flag_key: 'a', hour: '2026-11-20T10:00:00.000Z', count: 8 },
    ]);
    expect(await store.countByHour({ ...of, organizationId: 'org_2', flagKeys: ['a'] })).toEqual([]);
    const period = { ...own, flagKey: 'a', since: '2026-11-19T00:00:00.000Z', interval: 'day' } as const;
    expect(await store.countByPeriod(period)).toEqual([
      { date: '2026-11-19', variation_key: null, reason: 'DEFAULT', count: 4 },
      { date: '2026-11-20', variation_key: 'on', reason: 'TARGETING_RULE', count: 4 },
    ]);
    expect([...(await store.countServed(of))]).toEqual([['a', { variations: 1, evaluations: 9 }]]);
  });

  test('the last hours and the other keys of an environment are found', async () => {
    await store.write([
      batch('1', summary('a', 3), summary('ghost', 2), summary('ghost', 1, '2026-11-20T08:00:00.000Z')),
      batch('2', summary('old', 9, '2026-11-18T08:00:00.000Z'), summary('rare', 1)),
      { ...batch('3', summary('a', 1, '2026-11-20T09:00:00.000Z')), environmentId: 'env_2' },
    ]);
    const since = '2026-11-20T00:00:00.000Z';
    const hours = await store.listLastHours(since);
    expect(hours.map((row) => [row.environment_id, row.flag_key, row.hour.slice(11, 13)]).sort()).toEqual([
      ['env_1', 'a', '10'],
      ['env_1', 'ghost', '10'],
      ['env_1', 'rare', '10'],
      ['env_2', 'a', '09'],
    ]);
    const wanted = { ...own, since, knownKeys: ['a', "it's"], limit: 5 };
    expect(await store.listOtherKeys(wanted)).toEqual([
      {
        flag_key: 'ghost',
        count: 6,
        first_hour: '2026-11-20T08:00:00.000Z',
        last_hour: '2026-11-20T10:00:00.000Z',
      },
      {
        flag_key: 'rare',
        count: 2,
        first_hour: '2026-11-20T10:00:00.000Z',
        last_hour: '2026-11-20T10:00:00.000Z',
      },
    ]);
    expect(await store.listOtherKeys({ ...wanted, limit: 1 })).toHaveLength(1);
    expect(
      await store.listOtherKeys({ ...wanted, knownKeys: [], since: '2026-11-01T00:00:00.000Z' }),
    ).toHaveLength(4);
  });

  test('an erasure deletes the events of one user in one environment', async () => {
    const of = (id: string, user_key: string, ms: number) =>
      ({ ...track(id), user_key, timestamp: new Date(START - ms).toISOString() }) as EvaluationEvent;
    const sent = batch(
      '1',
      exposure('x'),
      of('own', 'u"1', 2 * DAY),
      of('own-2', 'hash', 0),
      of('other', 'u2', 0),
    );
    await store.write([sent, { ...sent, environmentId: 'env_2' }]);
    expect(await store.erase(own, ['u"1', 'hash'])).toEqual({ exposures: 1, trackEvents: 2 });
    expect((await tracks()).map(({ environment_id, id }) => `${environment_id} ${id}`)).toEqual(
      ['env_1 other', 'env_2 other', 'env_2 own', 'env_2 own-2'].sort((one, other) =>
        one.slice(6) < other.slice(6) ? -1 : one.slice(6) > other.slice(6) ? 1 : one < other ? -1 : 1,
      ),
    );
    expect(await store.erase(own, ['u"1'])).toEqual({ exposures: 0, trackEvents: 0 });
  });

  test('a purge deletes only what is past its retention', async () => {
    await write(batch('1', summary('a', 1, '2026-11-20T10:05:00.000Z'), exposure('x'), track('t')));
    const left = async (now: number) => {
      await store.purge(now);
      const receipts = await events.db.selectFrom('event_batches').selectAll().execute();
      return [receipts, await exposures(), await tracks(), await counters()].map((rows) => rows.length);
    };
    expect(await left(START + 3 * DAY)).toEqual([1, 1, 1, 1]);
    expect(await left(START + 3 * DAY + 1)).toEqual([0, 1, 1, 1]);
    expect(await left(START + 29 * DAY)).toEqual([0, 1, 1, 1]);
    expect(await left(START + 30 * DAY)).toEqual([0, 0, 0, 1]);
    expect(await left(START + 32 * DAY)).toEqual([0, 0, 0, 1]);
    expect(await left(START + 399 * DAY)).toEqual([0, 0, 0, 1]);
    expect(await left(START + 400 * DAY)).toEqual([0, 0, 0, 0]);
    // A day whose rows were purged can be written again.
    expect(await write(batch('2', exposure('x')))).toMatchObject({ accepted: 1 });
  });
}

function summary(flag_key: string, count: number, start = '2026-11-20T10:05:00.000Z'): EvaluationEvent {
  const [counter] = (counted(flag_key, count, start) as Extract<EvaluationEvent, { type: 'summary' }>)
    .counters;
  return { type: 'summary', start, end: '2026-11-20T10:29:00.000Z', counters: [counter!, counter!] };
}

function counted(flag_key: string, count: number, start: string, outcome: object = {}): EvaluationEvent {
  const counter = {
    flag_key,
    variation_key: null,
    reason: 'DEFAULT',
    rule_id: null,
    ruleset_version: 1,
    count,
  };
  return { type: 'summary', start, end: start, counters: [{ ...counter, ...outcome }] } as EvaluationEvent;
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

function track(id: string): EvaluationEvent {
  return {
    type: 'track',
    id,
    timestamp: '2026-11-20T10:00:00.000Z',
    event_name: 'purchase',
    user_key: 'u1',
    value: 5,
    properties: { currency: 'EUR' },
  };
}
