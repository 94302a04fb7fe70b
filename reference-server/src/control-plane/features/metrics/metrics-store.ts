import { sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';

/** How often one outcome of a flag was reported on one UTC day. */
export interface DayCount {
  readonly date: string;
  /** Null: no variation was served. */
  readonly variation_key: string | null;
  readonly reason: string;
  readonly count: number;
}

/** Counts by day from the hour `since` on; days without reports are left out. */
export async function countByDay(
  db: Queryable,
  of: {
    readonly organizationId: string;
    readonly environmentId: string;
    readonly flagKey: string;
    readonly since: string;
  },
): Promise<readonly DayCount[]> {
  return db
    .selectFrom('counters_hourly')
    .select([
      sql<string>`substr(hour, 1, 10)`.as('date'),
      sql<string | null>`nullif(variation_key, '')`.as('variation_key'),
      'reason',
      sql<number>`sum(count)`.as('count'),
    ])
    .where('organization_id', '=', of.organizationId)
    .where('environment_id', '=', of.environmentId)
    .where('flag_key', '=', of.flagKey)
    .where('hour', '>=', of.since)
    .groupBy(['date', 'variation_key', 'reason'])
    .orderBy('date')
    .orderBy('variation_key', (order) => order.asc().nullsFirst())
    .orderBy('reason')
    .execute();
}
