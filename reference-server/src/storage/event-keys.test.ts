import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOnPostgres, newEmptyDatabase, type SharedDatabase } from '../../test/database.ts';
import { readPostgres, readSqlite } from '../../test/postgres/schemas.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { EVENT_KEYS } from './migrations/0220-event-keys.ts';
import { POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { connectPostgres } from './postgres.ts';
import { openConnection, queryOver } from './sqlite.ts';

const AT = '2026-11-20T10:00:00.000Z';
const OWNER = { organization_id: 'org_1', environment_id: 'env_1' };
const OUTCOME = { flag_key: 'a', variation_key: 'on', reason: 'DEFAULT', rule_id: '' };
const USER = { user_key: 'u', user_key_hashed: 1 } as const;

const ROWS = {
  event_batches: { ...OWNER, batch_id: 'b', receipt_json: '{"batch_id":"b"}', received_at: AT },
  counters_hourly: { ...OWNER, ...OUTCOME, hour: AT, count: 3 },
  exposures: {
    ...OWNER,
    ...OUTCOME,
    ...USER,
    id: 'x',
    timestamp: AT,
    ruleset_version: 7,
    experiment_key: 'exp',
  },
  track_events: {
    ...OWNER,
    ...USER,
    id: 't',
    timestamp: AT,
    event_name: 'buy',
    value: 1.5,
    properties_json: '{}',
  },
} as const;

let database: SharedDatabase;
let db: Database;

/** Creates a database as it was before the migration, with one row in each event table, and migrates it. */
beforeAll(async () => {
  database = await newEmptyDatabase();
  const old = isOnPostgres ? connectPostgres(database.url) : queryOver(openConnection(database.url));
  const all = Object.entries(isOnPostgres ? POSTGRES_MIGRATIONS : SQLITE_MIGRATIONS);
  // Later migrations of the block of events build on this one.
  await migrate(old, Object.fromEntries(all.filter(([name]) => !/^02[2-9]\d-/.test(name))));
  for (const [table, row] of Object.entries(ROWS))
    await old
      .insertInto(table as 'flags')
      .values(row as never)
      .execute();
  await old.destroy();
  db = await openDatabase(database.url);
});
afterAll(async () => {
  await db.destroy();
  await database.remove();
});

test('the migration of the primary keys keeps all events', async () => {
  const tables = Object.keys(ROWS) as (keyof typeof ROWS)[];
  for (const table of tables) {
    expect(
      await db
        .selectFrom(table as 'flags')
        .selectAll()
        .execute(),
    ).toMatchObject([ROWS[table]]);
  }
});

test('every key and index of an event table begins with the organization', async () => {
  const schema = await (isOnPostgres ? readPostgres : readSqlite)(db);
  for (const table of Object.keys(EVENT_KEYS)) {
    const { primaryKey, indexes } = schema[table]!;
    expect([table, primaryKey[0]]).toEqual([table, 'organization_id']);
    expect(indexes.filter((index) => !/^\w+ organization_id,/.test(index))).toEqual([]);
  }
  expect(schema['counters_hourly']!.indexes).toHaveLength(1);
});
