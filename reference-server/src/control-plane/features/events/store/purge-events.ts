import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS } from '../../../../lib/durations.ts';
import type { EventDatabase } from '../../../../storage/database.ts';
import { DAY_TABLES } from '../../../../storage/migrations/0232-events-by-day.ts';
import type { Partitions } from './partitions.ts';

/**
 * A batch that is sent again within this time is recognized. It is as long as the age up to which events are accepted,
 * because a relay may repeat a batch until then.
 */
export const BATCH_MEMORY_MS = 3 * DAY_MS;
/** Retention of exposures and track events. */
export const EVENTS_RETENTION_MS = 30 * DAY_MS;
const COUNTERS_RETENTION_MS = 400 * DAY_MS;
/** Rows per statement; between two statements, other work of the process can run. */
const STRIDE = 2_000;

/** Deletes receipts, events and counters that are older than their retention. `partitions`: on PostgreSQL only. */
export async function purgeEvents(
  db: EventDatabase,
  { now, partitions }: { readonly now: number; readonly partitions: Partitions | undefined },
): Promise<void> {
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  await purgeTable(db, { table: 'event_batches', id: 'batch_id', time: 'received_at' }, ago(BATCH_MEMORY_MS));
  await purgeTable(db, { table: 'counters_hourly', id: 'hour', time: 'hour' }, ago(COUNTERS_RETENTION_MS));
  for (const table of DAY_TABLES) {
    const before = ago(EVENTS_RETENTION_MS);
    await partitions?.dropBefore(table, before.slice(0, '2026-11-20'.length));
    await purgeTable(db, { table, id: 'timestamp', time: 'timestamp' }, before);
  }
}

interface Purged {
  readonly table: string;
  /** The column of the primary key after organization and environment. */
  readonly id: string;
  readonly time: string;
}

/**
 * Deletes old rows in the order of the primary key. An index on the time would slow down every insert, for the sake of
 * a query that runs only once an hour.
 */
async function purgeTable(db: EventDatabase, { table, id, time }: Purged, before: string): Promise<void> {
  const columns = sql`organization_id, environment_id, ${sql.ref(id)}`;
  let after = sql`(${columns}) > ('', '', '')`;
  for (;;) {
    const { rows } = await sql<{ organization_id: string; environment_id: string; id: string }>`
      select organization_id, environment_id, ${sql.ref(id)} as id from ${sql.table(table)} where ${after}
      order by ${columns} limit 1 offset ${STRIDE - 1}`.execute(db);
    const [last] = rows;
    const end = last && sql`(${last.organization_id}, ${last.environment_id}, ${last.id})`;
    const upTo = end === undefined ? sql`` : sql`and (${columns}) <= ${end}`;
    await sql`delete from ${sql.table(table)} where ${after} ${upTo} and ${sql.ref(time)} < ${before}`.execute(
      db,
    );
    if (end === undefined) return;
    after = sql`(${columns}) > ${end}`;
    await setImmediate();
  }
}
