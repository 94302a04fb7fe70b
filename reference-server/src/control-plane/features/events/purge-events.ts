import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import { BATCH_MEMORY_MS } from './event-sink.ts';

/** Retention of exposures and track events. */
const EVENTS_RETENTION_MS = 30 * DAY_MS;
const COUNTERS_RETENTION_MS = 400 * DAY_MS;
/** Rows per statement; between two statements, other work of the process can run. */
const STRIDE = 2_000;

/** Deletes receipts, events and counters that are older than their retention. */
export async function purgeEvents(db: Database, now: number): Promise<void> {
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  await purgeTable(db, { table: 'event_batches', id: 'batch_id', time: 'received_at' }, ago(BATCH_MEMORY_MS));
  await purgeTable(db, { table: 'exposures', id: 'id', time: 'timestamp' }, ago(EVENTS_RETENTION_MS));
  await purgeTable(db, { table: 'track_events', id: 'id', time: 'timestamp' }, ago(EVENTS_RETENTION_MS));
  await purgeTable(db, { table: 'counters_hourly', id: 'hour', time: 'hour' }, ago(COUNTERS_RETENTION_MS));
}

/**
 * Deletes old rows in the order of the primary key. An index on the time would slow down every insert, for the sake of
 * a query that runs only once an hour.
 */
async function purgeTable(
  db: Database,
  { table, id, time }: { readonly table: string; readonly id: string; readonly time: string },
  before: string,
): Promise<void> {
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
