import { sql } from 'kysely';
import { DAY_MS } from '../../../../lib/durations.ts';
import type { EventDatabase, EventTx } from '../../../../storage/database.ts';
import { DAY_TABLES, type DayTable } from '../../../../storage/migrations/0232-events-by-day.ts';
import { writeExclusively } from '../../../../storage/transactions.ts';

/** Dropping a partition blocks the table, so it gives up soon; the next run tries again. */
const LOCK_WAIT_MS = 500;

/** PostgreSQL's partitions of the tables of single events: one for each UTC day. */
export interface Partitions {
  /** Creates the partitions of these days (`2026-11-20`) that do not exist. */
  prepare(days: Iterable<string>): Promise<void>;
  /** Drops the partitions of a table whose whole day is before `day`. */
  dropBefore(table: DayTable, day: string): Promise<void>;
}

export function createPartitions(db: EventDatabase): Partitions {
  /** Days whose partitions exist. Only `dropBefore` takes partitions away, long after their last event. */
  const present = new Set<string>();
  return {
    async prepare(days) {
      const missing = [...new Set(days)].filter((day) => !present.has(day));
      if (missing.length === 0) return;
      await writeExclusively(db, 'partitions of events', async (tx) => {
        for (const table of DAY_TABLES) await createPartitionsIn(tx, table, missing);
      });
      for (const day of missing) present.add(day);
    },

    async dropBefore(table, day) {
      const end = partitionOf(table, day);
      const old = (await listPartitions(db, table)).filter((name) => name < end);
      for (const name of old) {
        await db.transaction().execute(async (tx) => {
          await sql.raw(`set local lock_timeout = ${LOCK_WAIT_MS}`).execute(tx);
          await sql`drop table if exists ${sql.table(name)}`.execute(tx);
        });
        present.delete(dayOf(name));
      }
    },
  };
}

/** Creates the partitions of these days that a table does not have, in the open transaction. */
export async function createPartitionsIn(
  tx: EventTx,
  table: DayTable,
  days: readonly string[],
): Promise<void> {
  const existing = new Set(await listPartitions(tx, table));
  for (const day of days) {
    const name = partitionOf(table, day);
    if (existing.has(name)) continue;
    // Attached, because `create … partition of` would wait for every statement that uses the table.
    await sql`create table ${sql.table(name)} (like ${sql.table(table)} including all)`.execute(tx);
    await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
      for values from (${sql.lit(day)}) to (${sql.lit(dayAfter(day))})`.execute(tx);
  }
}

async function listPartitions(db: EventDatabase, table: DayTable): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** `exposures_by_day_20261120`. Names of a table's partitions sort by day. */
const partitionOf = (table: DayTable, day: string): string => `${table}_${day.replaceAll('-', '')}`;

const dayOf = (partition: string): string =>
  partition.slice(-8).replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');

const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, '2026-11-20'.length);
