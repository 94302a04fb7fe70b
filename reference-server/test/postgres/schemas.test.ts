import { expect, test } from 'vitest';
import { eventsOf } from '../../src/storage/events/event-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { openTestDatabase } from '../database.ts';
import { readPostgres, readSqlite } from './schemas.ts';

test('both engines have the same tables, columns, keys, indexes and checks', async () => {
  const sqlite = await openDatabase('sqlite::memory:');
  const postgres = await openTestDatabase();
  // PostgreSQL keeps events in the same database; only a move between two databases needs a position.
  const { event_moves: _, ...events } = await readSqlite(eventsOf(sqlite));
  const wanted = { ...(await readSqlite(sqlite)), ...events };
  expect(Object.keys(wanted).length).toBeGreaterThan(30);
  expect(wanted['flags']).toMatchObject({
    columns: { key: 'text not null', stale_since: 'text null', stale_reasons_json: "text not null '[]'" },
    primaryKey: ['id'],
    indexes: expect.arrayContaining([
      'unique project_id,key',
      'index project_id,lower(name),id flags_by_name',
    ]),
  });
  expect(await readPostgres(postgres)).toEqual(wanted);
  await sqlite.destroy();
  await postgres.destroy();
});
