import { expect, test } from 'vitest';
import { isOnPostgres, openTestDatabase } from '../../../../../test/database.ts';
import { eventsOf } from '../../../../storage/events/event-database.ts';
import { createPartitions } from './partitions.ts';
import { purgeEvents } from './purge-events.ts';

const START = Date.parse('2026-11-20T10:30:00.000Z');
const DAY = 24 * 60 * 60 * 1000;

test('a purge of a large table lets other work run between its steps', async () => {
  const db = await openTestDatabase();
  const events = eventsOf(db);
  const partitions = isOnPostgres ? createPartitions(events) : undefined;
  const at = (ms: number) => new Date(START - ms).toISOString();
  // The day of the limit: its partition is kept, and its rows are deleted one by one.
  const [old, young] = [at(30 * DAY + 1), at(29 * DAY)];
  await partitions?.prepare([old.slice(0, 10), young.slice(0, 10)]);
  const rows = Array.from({ length: 12_000 }, (_, index) => ({
    organization_id: 'org_1',
    environment_id: index < 7_000 ? 'env_1' : 'env_2',
    id: String(index).padStart(5, '0'),
    timestamp: index % 3 === 0 ? old : young,
    event_name: 'buy',
    user_key: 'u',
    value: null,
    properties_json: '{}',
  }));
  for (let start = 0; start < rows.length; start += 1_000) {
    await events
      .insertInto('track_events_by_day')
      .values(rows.slice(start, start + 1_000))
      .execute();
  }
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  await purgeEvents(events, { now: START, partitions });
  clearInterval(others);
  const left = await events.selectFrom('track_events_by_day').select('timestamp').execute();
  expect(left).toHaveLength(8_000);
  expect(new Set(left.map((row) => row.timestamp))).toEqual(new Set([young]));
  expect(turns).toBeGreaterThan(0);
  await db.destroy();
});
