import { type RawBuilder, sql } from 'kysely';
import {
  FREE_FAILURES,
  type LoginFailures,
  RESET_AFTER_MS,
  WAIT_MAX_MS,
} from '../control-plane/features/auth/login-failures.ts';
import type { AddCounts } from '../http/shared-rate-store.ts';
import type { Database } from '../storage/database.ts';
import type { SharedCounts } from './shared-counts.ts';

/** The clock of the database, because the nodes' clocks differ. */
const NOW = sql<number>`floor(extract(epoch from now()) * 1000)::bigint`;

/** Keeps the counts in the database that all nodes use. */
export function createPostgresCounts(db: Database): SharedCounts {
  return {
    add: (counts) => addCounts(db, counts),
    failures: createFailures(db),
    async sweep() {
      await sql`delete from shared_counts where ends_at < ${NOW}`.execute(db);
      await sql`delete from shared_login_failures where last_at < ${NOW} - ${lit(RESET_AFTER_MS)}`.execute(
        db,
      );
    },
    async close() {},
  };
}

interface SumRow {
  readonly key: string;
  readonly used: number;
  readonly ends_in: number;
}

/** One statement for all keys. The order of the keys keeps two nodes from waiting for each other. */
async function addCounts(db: Database, counts: Parameters<AddCounts>[0]): ReturnType<AddCounts> {
  const { rows } = await sql<SumRow>`
    insert into shared_counts as sum (key, used, ends_at)
    select key, added, ${NOW} + ends_in
      from unnest(
        ${counts.map(({ key }) => key)}::text[],
        ${counts.map(({ count }) => count)}::bigint[],
        ${counts.map(({ endsInMs }) => endsInMs)}::bigint[]
      ) as counted (key, added, ends_in)
      order by key collate "C"
    on conflict (key) do update set
      used = case when sum.ends_at > ${NOW} then greatest(0, sum.used + excluded.used) else excluded.used end,
      ends_at = case when sum.ends_at > ${NOW} then sum.ends_at else excluded.ends_at end
    returning key, used, ends_at - ${NOW} as ends_in`.execute(db);
  const sums = new Map(rows.map((row) => [row.key, { used: row.used, endsInMs: row.ends_in }]));
  return counts.map(({ key }) => sums.get(key)!);
}

/** The wait after the failure that the statement counts. */
const WAIT = (failures: RawBuilder<unknown>) => sql`case when ${failures} < ${lit(FREE_FAILURES)} then 0
  else least(1000 * 2 ^ least(${failures} - ${lit(FREE_FAILURES)}, 20), ${lit(WAIT_MAX_MS)})::bigint end`;

function createFailures(db: Database): LoginFailures {
  const failures = sql`case when ${NOW} - known.last_at < ${lit(RESET_AFTER_MS)} then known.failures + 1 else 1 end`;
  return {
    async begin(account) {
      // Counts and checks in one statement, so that of two attempts at the same time one sees the other.
      const begun = await sql<{ failures: number }>`
        insert into shared_login_failures as known (account, failures, last_at, wait_until)
        values (${account}, 1, ${NOW}, 0)
        on conflict (account) do update
          set failures = ${failures}, last_at = ${NOW}, wait_until = ${NOW} + ${WAIT(failures)}
          where known.wait_until <= ${NOW}
        returning failures`.execute(db);
      if (begun.rows[0] !== undefined) return { waitMs: 0, failures: begun.rows[0].failures };
      const { rows } = await sql<{ failures: number; wait: number }>`
        select failures, wait_until - ${NOW} as wait from shared_login_failures
        where account = ${account}`.execute(db);
      // The row is gone if a login succeeded in between; the next attempt then need not wait.
      return { waitMs: Math.max(1, rows[0]?.wait ?? 1), failures: rows[0]?.failures ?? 0 };
    },
    async undo(account, begun) {
      await sql`update shared_login_failures set failures = failures - 1, wait_until = 0
        where account = ${account} and failures = ${begun.failures}`.execute(db);
    },
    async clear(account) {
      await sql`delete from shared_login_failures where account = ${account}`.execute(db);
    },
  };
}

function lit(value: number): RawBuilder<number> {
  return sql.lit(value);
}
