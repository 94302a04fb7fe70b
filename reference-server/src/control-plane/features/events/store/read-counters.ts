import { type Selectable, sql } from 'kysely';
import type { EventDatabase } from '../../../../storage/database.ts';
import type { CounterHourlyTable } from '../../../../storage/event-tables.ts';
import { rowsOf } from '../../../../storage/json-rows.ts';
import { perEngine } from '../../../../storage/sql-dialect.ts';
import type { EventScope, EventStore } from '../event-store.ts';

/** SQLite would read the counts of all flags in these hours. */
const COUNTERS = perEngine<Selectable<CounterHourlyTable>>({
  sqlite: sql`(select * from counters_hourly indexed by counters_hourly_by_flag)`,
  postgres: sql`counters_hourly`,
}).as<'counted'>(sql.ref('counted'));

type Readers = Pick<
  EventStore,
  'countByHour' | 'countByPeriod' | 'countServed' | 'listLastHours' | 'listOtherKeys'
>;

/** The parts of `EventStore` that read counters. */
export function createCounterReaders(db: () => EventDatabase): Readers {
  return {
    async countByHour({ organizationId, environmentIds, flagKeys, since }) {
      if (flagKeys.length === 0 || environmentIds.length === 0) return [];
      const rows = await db()
        .selectFrom(COUNTERS)
        .select((eb) => ['flag_key', 'hour', eb.fn.sum<number>('count').as('count')])
        .where('organization_id', '=', organizationId)
        .where('environment_id', 'in', environmentIds)
        .where('flag_key', 'in', flagKeys)
        .where('hour', '>=', since)
        .groupBy(['flag_key', 'hour'])
        .execute();
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },

    countByPeriod: (of) =>
      db()
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
        .execute(),

    async countServed({ organizationId, environmentIds, since }) {
      if (environmentIds.length === 0) return new Map();
      const rows = await db()
        .selectFrom('counters_hourly')
        .select([
          'flag_key',
          sql<number>`count(distinct variation_key)`.as('variations'),
          sql<number>`sum(count)`.as('evaluations'),
        ])
        .where('organization_id', '=', organizationId)
        .where('environment_id', 'in', environmentIds)
        .where('variation_key', '!=', '')
        .where('hour', '>=', since)
        .groupBy('flag_key')
        .execute();
      return new Map(rows.map(({ flag_key, ...counts }) => [flag_key, counts]));
    },

    async listLastHours(since) {
      const scopes = await listScopes(db());
      const lists = [];
      for (const { organizationId, environmentId } of scopes) {
        lists.push(
          await db()
            .selectFrom('counters_hourly')
            .select((eb) => ['environment_id', 'flag_key', eb.fn.max('hour').as('hour')])
            .where('organization_id', '=', organizationId)
            .where('environment_id', '=', environmentId)
            .where('hour', '>=', since)
            .groupBy(['environment_id', 'flag_key'])
            .execute(),
        );
      }
      return lists.flat();
    },

    async listOtherKeys({ organizationId, environmentId, since, knownKeys, limit }) {
      const rows = await db()
        .selectFrom('counters_hourly')
        .select((eb) => [
          'flag_key',
          eb.fn.sum<number>('count').as('count'),
          eb.fn.min('hour').as('first_hour'),
          eb.fn.max('hour').as('last_hour'),
        ])
        .where('organization_id', '=', organizationId)
        .where('environment_id', '=', environmentId)
        .where('hour', '>=', since)
        .where(
          sql<boolean>`flag_key not in (select value ->> 0 from ${rowsOf(knownKeys.map((key) => [key]))} as item)`,
        )
        .groupBy('flag_key')
        .orderBy('count', 'desc')
        .orderBy('flag_key')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
  };
}

/** The environments that have counters. Steps from one to the next, because a `distinct` would read every row. */
async function listScopes(db: EventDatabase): Promise<readonly EventScope[]> {
  const found: EventScope[] = [];
  for (;;) {
    const { organizationId, environmentId } = found.at(-1) ?? { organizationId: '', environmentId: '' };
    const { rows } = await sql<EventScope>`
      select organization_id as "organizationId", environment_id as "environmentId" from counters_hourly
      where (organization_id, environment_id) > (${organizationId}, ${environmentId})
      order by organization_id, environment_id limit 1`.execute(db);
    if (rows[0] === undefined) return found;
    found.push(rows[0]);
  }
}
