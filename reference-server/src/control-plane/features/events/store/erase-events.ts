import { setImmediate } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../../../lib/durations.ts';
import type { EventDatabase } from '../../../../storage/database.ts';
import { DAY_TABLES, type DayTable } from '../../../../storage/migrations/0232-events-by-day.ts';
import type { ErasedRows, EventScope } from '../event-store.ts';
import { EVENTS_RETENTION_MS } from './purge-events.ts';

/**
 * Deletes a user's events of one environment, hour by hour: no index finds a user's events, and one statement over 30
 * days would hold up the batches that arrive meanwhile.
 */
export async function eraseEvents(
  db: EventDatabase,
  { organizationId, environmentId }: EventScope,
  { userKeys, now }: { readonly userKeys: readonly string[]; readonly now: number },
): Promise<ErasedRows> {
  const counts: Record<DayTable, number> = { exposures_by_day: 0, track_events_by_day: 0 };
  const first = now - EVENTS_RETENTION_MS - DAY_MS;
  for (let from = first - (first % HOUR_MS); from <= now + DAY_MS; from += HOUR_MS) {
    for (const table of DAY_TABLES) {
      const { numDeletedRows } = await db
        .deleteFrom(table)
        .where('organization_id', '=', organizationId)
        .where('environment_id', '=', environmentId)
        .where('timestamp', '>=', new Date(from).toISOString())
        .where('timestamp', '<', new Date(from + HOUR_MS).toISOString())
        .where('user_key', 'in', userKeys)
        .executeTakeFirstOrThrow();
      counts[table] += Number(numDeletedRows);
    }
    await setImmediate();
  }
  return { exposures: counts.exposures_by_day, trackEvents: counts.track_events_by_day };
}
