import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import { BATCH_MEMORY_MS } from './event-sink.ts';

/** How long events are kept. */
const RAW_RETENTION_MS = 30 * DAY_MS;
const COUNTERS_RETENTION_MS = 400 * DAY_MS;
/** Rows that are looked at before whoever else waits gets a turn. */
const STRIDE = 2_000;

/** Deletes batches, single events and counters that are past their retention at `now`. */
export async function pruneEvents(db: Database, now: number): Promise<void> {
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  await pruneAlong(db, { table: 'event_batches', id: 'batch_id', time: 'received_at' }, ago(BATCH_MEMORY_MS));
  await pruneAlong(db, { table: 'exposures', id: 'id', time: 'timestamp' }, ago(RAW_RETENTION_MS));
  await pruneAlong(db, { table: 'track_events', id: 'id', time: 'timestamp' }, ago(RAW_RETENTION_MS));
  await pruneAlong(db, { table: 'counters_hourly', id: 'hour', time: 'hour' }, ago(COUNTERS_RETENTION_MS));
}

/** Walks along the primary key: an index of times would cost each event that comes in, for what is asked once an hour. */
async function pruneAlong(
  db: Database,
  { table, id, time }: { readonly table: string; readonly id: string; readonly time: string },
  before: string,
): Promise<void> {
  const key = sql`(environment_id, ${sql.ref(id)})`;
  let from = ['', ''];
  for (;;) {
    const after = sql`${key} > (${from[0]}, ${from[1]})`;
    const { rows } = await sql<{ environment_id: string; id: string }>`
      select environment_id, ${sql.ref(id)} as id from ${sql.table(table)} where ${after}
      order by environment_id, ${sql.ref(id)} limit 1 offset ${STRIDE - 1}`.execute(db);
    const [last] = rows;
    const upTo = last === undefined ? sql`` : sql`and ${key} <= (${last.environment_id}, ${last.id})`;
    await sql`delete from ${sql.table(table)} where ${after} ${upTo} and ${sql.ref(time)} < ${before}`.execute(
      db,
    );
    if (last === undefined) return;
    from = [last.environment_id, last.id];
    await setImmediate();
  }
}
