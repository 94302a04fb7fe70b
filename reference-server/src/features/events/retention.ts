import type { Database } from '../../storage/database.ts';
import { BATCH_MEMORY_MS } from './event-sink.ts';

const DAY_MS = 24 * 3_600_000;

/** How long events are kept. */
const RAW_RETENTION_MS = 30 * DAY_MS;
const COUNTERS_RETENTION_MS = 400 * DAY_MS;

/** Deletes batches, single events and counters that are past their retention at `now`. */
export async function pruneEvents(db: Database, now: number): Promise<void> {
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  await db.deleteFrom('event_batches').where('received_at', '<', ago(BATCH_MEMORY_MS)).execute();
  await db.deleteFrom('exposures').where('timestamp', '<', ago(RAW_RETENTION_MS)).execute();
  await db.deleteFrom('track_events').where('timestamp', '<', ago(RAW_RETENTION_MS)).execute();
  await db.deleteFrom('counters_hourly').where('hour', '<', ago(COUNTERS_RETENTION_MS)).execute();
}
