import { sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';

/** How often one outcome of a flag was reported in one UTC day or hour. */
export interface PeriodCount {
  /** `2026-11-20`, or `2026-11-20T09:00:00.000Z`. */
  readonly date: string;
  /** Null: no variation was served. */
  readonly variation_key: string | null;
  readonly reason: string;
  readonly count: number;
}

/** Counts by day or hour from the hour `since` on; periods without reports are left out. */
export async function countByPeriod(
  db: Queryable,
  of: {
    readonly organizationId: string;
    readonly environmentId: string;
    readonly flagKey: string;
    readonly since: string;
    readonly interval: 'day' | 'hour';
  },
): Promise<readonly PeriodCount[]> {
  return db
    .selectFrom('counters_hourly')
    .select([
      (of.interval === 'day' ? sql<string>`substr(hour, 1, 10)` : sql<string>`hour`).as('date'),
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
