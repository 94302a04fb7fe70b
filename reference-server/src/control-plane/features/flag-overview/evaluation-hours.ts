import { type Selectable, sql } from 'kysely';
import { HOUR_MS } from '../../../lib/durations.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { CounterHourlyTable } from '../../../storage/event-tables.ts';
import { perEngine } from '../../../storage/sql-dialect.ts';

/** Hours in a series; the last one is the current hour. */
export const HOURS = 24;

/** How often SDKs reported evaluations of a flag in the last 24 hours, in all environments. */
export interface EvaluationHours {
  readonly total: number;
  /** One count per hour, oldest first. */
  readonly by_hour: readonly number[];
}

/** SQLite would read the counts of all flags in these hours. */
const COUNTERS = perEngine<Selectable<CounterHourlyTable>>({
  sqlite: sql`(select * from counters_hourly indexed by counters_hourly_by_flag)`,
  postgres: sql`counters_hourly`,
}).as<'counted'>(sql.ref('counted'));

export const NO_EVALUATIONS: EvaluationHours = { total: 0, by_hour: Array(HOURS).fill(0) as number[] };

/** The counts of the given flags by flag key; flags without evaluations are left out. */
export async function countEvaluations(
  db: Queryable,
  {
    organizationId,
    environmentIds,
    flagKeys,
    now,
  }: {
    readonly organizationId: string;
    readonly environmentIds: readonly string[];
    readonly flagKeys: readonly string[];
    readonly now: number;
  },
): Promise<ReadonlyMap<string, EvaluationHours>> {
  if (flagKeys.length === 0 || environmentIds.length === 0) return new Map();
  const first = now - (now % HOUR_MS) - (HOURS - 1) * HOUR_MS;
  const rows = await db
    .selectFrom(COUNTERS)
    .select((eb) => ['flag_key', 'hour', eb.fn.sum<number>('count').as('count')])
    .where('organization_id', '=', organizationId)
    .where('environment_id', 'in', environmentIds)
    .where('flag_key', 'in', flagKeys)
    .where('hour', '>=', new Date(first).toISOString())
    .groupBy(['flag_key', 'hour'])
    .execute();
  const series = new Map<string, { total: number; by_hour: number[] }>();
  for (const { flag_key, hour, count } of rows) {
    const own = series.get(flag_key) ?? { total: 0, by_hour: Array(HOURS).fill(0) as number[] };
    series.set(flag_key, own);
    // The clock of another node can be ahead.
    const index = Math.min(HOURS - 1, (Date.parse(hour) - first) / HOUR_MS);
    own.by_hour[index]! += Number(count);
    own.total += Number(count);
  }
  return series;
}
