import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOnPostgres, openTestDatabase } from '../../../../../test/database.ts';
import { SECRETS } from '../../../../../test/server.ts';
import type { Database, EventDatabase } from '../../../../storage/database.ts';
import { eventsOf } from '../../../../storage/events/event-database.ts';
import { createStoredKeys, type StoredKeys } from '../stored-keys.ts';
import { createEventStore } from './create-event-store.ts';
import { moveEvents } from './move-events.ts';

const AT = '2026-11-20T10:00:00.000Z';
const OWNER = { organization_id: 'org_1', environment_id: 'env_1' };
const OUTCOME = { flag_key: 'a', variation_key: 'on', reason: 'DEFAULT', rule_id: '' };
const COUNTER = { ...OWNER, ...OUTCOME, hour: AT, count: 3 };
const RECEIPT = { ...OWNER, batch_id: 'b', receipt_json: '{"batch_id":"b"}', received_at: AT };
const EXPOSURE = { ...OWNER, ...OUTCOME, id: 'x', timestamp: AT, user_key: 'u' };
const TRACK = { ...OWNER, id: 't', timestamp: AT, event_name: 'buy', user_key: 'u', properties_json: '{}' };

let db: Database;
let events: EventDatabase;
let keys: StoredKeys;
beforeEach(async () => {
  db = await openTestDatabase();
  events = eventsOf(db);
  keys = createStoredKeys({ apiSecretKey: SECRETS.apiSecretKey, storage: 'hashed' });
});
afterEach(() => db.destroy());

/** Inserts rows as a version before would. */
async function insert(table: string, ...rows: readonly object[]): Promise<void> {
  for (let start = 0; start < rows.length; start += 1_000) {
    await db
      .insertInto(table as 'flags')
      .values(rows.slice(start, start + 1_000) as never)
      .execute();
  }
}
const left = async (table: string) =>
  (
    await db
      .selectFrom(table as 'flags')
      .selectAll()
      .execute()
  ).length;
const stored = {
  exposures: () => events.selectFrom('exposures_by_day').selectAll().orderBy('id').execute(),
  tracks: () => events.selectFrom('track_events_by_day').selectAll().orderBy('id').execute(),
  counts: async () =>
    (await events.selectFrom('counters_hourly').select('count').execute()).map((row) => row.count),
};

test('single events of a version before move, and their keys are hashed', async () => {
  await insert(
    'exposures',
    { ...EXPOSURE, unit_by: 'company', unit_key: 'c1' },
    { ...EXPOSURE, id: 'y', user_key: '' },
  );
  await insert('track_events', { ...TRACK, user_key_hashed: 1, units_json: '{"company":"c1"}', value: 1.5 });
  let starts = 0;
  expect(await moveEvents({ db, keys, onStart: () => starts++ })).toBe(3);
  expect([starts, await left('exposures'), await left('track_events')]).toEqual([1, 0, 0]);
  const company = keys.unit('env_1', 'company', 'c1');
  expect(await stored.exposures()).toMatchObject([
    {
      id: 'x',
      user_key: keys.user('env_1', 'u', false),
      unit_by: 'company',
      unit_key: company,
      flag_key: 'a',
    },
    { id: 'y', user_key: '', unit_by: null, unit_key: null },
  ]);
  expect(await stored.tracks()).toMatchObject([
    { user_key: keys.user('env_1', 'u', true), units_json: JSON.stringify({ company }), value: 1.5 },
  ]);
  expect(await moveEvents({ db, keys, onStart: () => starts++ })).toBe(0);
  expect(starts).toBe(1);
});

test('an event that arrives again in the new place after it moved is stored once', async () => {
  await insert('track_events', TRACK);
  await moveEvents({ db, keys });
  await insert('track_events', TRACK, { ...TRACK, id: 'late' });
  await moveEvents({ db, keys });
  expect((await stored.tracks()).map(({ id }) => id)).toEqual(['late', 't']);
});

test('a move that fails in the middle continues where it stopped', async () => {
  const ids = Array.from({ length: 4_500 }, (_, index) => String(index).padStart(5, '0'));
  await insert('track_events', ...ids.map((id) => ({ ...TRACK, id })));
  let calls = 0;
  const failing: StoredKeys = {
    ...keys,
    user(...all) {
      calls += 1;
      if (calls === 3_000) throw new Error('killed');
      return keys.user(...all);
    },
  };
  await expect(moveEvents({ db, keys: failing })).rejects.toThrow('killed');
  const moved = (await stored.tracks()).length;
  expect([moved, calls]).toEqual([2_000, 3_000]);
  await moveEvents({ db, keys });
  expect((await stored.tracks()).map(({ id }) => id)).toEqual(ids);
  expect(await left('track_events')).toBe(0);
});

test.skipIf(isOnPostgres)(
  'counters and receipts move too, and are added to those that are there',
  async () => {
    await insert('counters_hourly', COUNTER, { ...COUNTER, flag_key: 'b' });
    await insert('event_batches', RECEIPT);
    await moveEvents({ db, keys });
    expect([await left('counters_hourly'), await left('event_batches')]).toEqual([0, 0]);
    const store = createEventStore({ db: events, now: () => Date.parse(AT) });
    const batch = { organizationId: 'org_1', environmentId: 'env_1', batchId: 'b', events: [], rejected: [] };
    expect(await store.write([batch])).toEqual([{ batch_id: 'b', duplicate: true }]);
    // The operator went back to the version before, and to this one again.
    await insert('counters_hourly', COUNTER);
    await moveEvents({ db, keys });
    expect(await stored.counts()).toEqual([6, 3]);
  },
);

test.skipIf(isOnPostgres)('rows that were copied but not yet deleted are not counted again', async () => {
  await insert('counters_hourly', COUNTER);
  await moveEvents({ db, keys });
  // As a process leaves them that is killed between the two databases.
  await insert('counters_hourly', COUNTER, { ...COUNTER, flag_key: 'b', count: 5 });
  const { organization_id, environment_id, hour, flag_key, variation_key, reason, rule_id } = COUNTER;
  const position = [organization_id, environment_id, hour, flag_key, variation_key, reason, rule_id];
  await events
    .insertInto('event_moves')
    .values({ table_name: 'counters_hourly', position_json: JSON.stringify(position) })
    .execute();
  await moveEvents({ db, keys });
  expect(await stored.counts()).toEqual([3, 5]);
  expect(await events.selectFrom('event_moves').selectAll().execute()).toEqual([]);
});

test.runIf(isOnPostgres)(
  'on PostgreSQL, counters and receipts stay where nodes of both versions use them',
  async () => {
    await insert('counters_hourly', COUNTER);
    await insert('event_batches', RECEIPT);
    expect(await moveEvents({ db, keys })).toBe(0);
    expect([await stored.counts(), await left('event_batches')]).toEqual([[3], 1]);
  },
);
