import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { createEventSink } from './event-sink.ts';
import { purgeEvents } from './purge-events.ts';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-11-20T10:30:00.000Z');
const grant = {
  keyId: 'key_1',
  kind: 'server',
  environmentId: 'env_1',
  projectId: 'prj_1',
  organizationId: 'org_1',
} as const;
const outcome = {
  flag_key: 'a',
  variation_key: null,
  reason: 'DEFAULT',
  rule_id: null,
  ruleset_version: 1,
} as const;

test('a purge deletes only events past their retention', async () => {
  const db = await openTestDatabase();
  const timestamp = '2026-11-20T10:05:00.000Z';
  await createEventSink({ db, now: () => START }).accept(
    grant,
    {
      batch_id: '1',
      sent_at: timestamp,
      sdk: { name: 'test', version: '1' },
      events: [
        { type: 'summary', start: timestamp, end: timestamp, counters: [{ ...outcome, count: 1 }] },
        { type: 'exposure', id: 'x', timestamp, user_key: 'u', ...outcome },
        { type: 'track', id: 't', timestamp, user_key: 'u', event_name: 'buy' },
      ],
    },
    [],
  );
  const left = async (now: number) => {
    await purgeEvents(db, now);
    const tables = ['event_batches', 'exposures', 'track_events', 'counters_hourly'] as const;
    return Promise.all(
      tables.map(async (table) => (await db.selectFrom(table).selectAll().execute()).length),
    );
  };
  expect(await left(START + 3 * DAY)).toEqual([1, 1, 1, 1]);
  expect(await left(START + 3 * DAY + 1)).toEqual([0, 1, 1, 1]);
  expect(await left(START + 29 * DAY)).toEqual([0, 1, 1, 1]);
  expect(await left(START + 30 * DAY)).toEqual([0, 0, 0, 1]);
  expect(await left(START + 399 * DAY)).toEqual([0, 0, 0, 1]);
  expect(await left(START + 400 * DAY)).toEqual([0, 0, 0, 0]);
  await db.destroy();
});

test('a purge of a large table lets other work run between its steps', async () => {
  const db = await openTestDatabase();
  const at = (ms: number) => new Date(START - ms).toISOString();
  const rows = Array.from({ length: 12_000 }, (_, index) => ({
    organization_id: 'org_1',
    environment_id: index < 7_000 ? 'env_1' : 'env_2',
    id: String(index).padStart(5, '0'),
    timestamp: at(index % 3 === 0 ? 31 * DAY : DAY),
    event_name: 'buy',
    user_key: 'u',
    value: null,
    properties_json: '{}',
  }));
  for (let start = 0; start < rows.length; start += 1_000) {
    await db
      .insertInto('track_events')
      .values(rows.slice(start, start + 1_000))
      .execute();
  }
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  await purgeEvents(db, START);
  clearInterval(others);
  const left = await db.selectFrom('track_events').select('timestamp').execute();
  expect(left).toHaveLength(8_000);
  expect(new Set(left.map((row) => row.timestamp))).toEqual(new Set([at(DAY)]));
  expect(turns).toBeGreaterThan(0);
  await db.destroy();
});
