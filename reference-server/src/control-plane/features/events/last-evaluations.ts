import { sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import { rowsOf } from '../../../storage/json-rows.ts';
import { writeExclusively } from '../../../storage/transactions.ts';
import type { EventStore, LastHour } from './event-store.ts';

/** Events may arrive this late; the first run of a process looks back as far. */
const OLDEST_MS = 4 * DAY_MS;
/** Flags per transaction, so that other writers get their turn. */
const CHUNK = 500;

export interface LastEvaluationDeps {
  readonly db: Database;
  readonly store: Pick<EventStore, 'listLastHours'>;
  readonly now: () => number;
}

/**
 * Copies the hour of each flag's last evaluation from the event store to `flag_environments.last_evaluated_at`, where
 * lists filter and sort by it. An hour is written once, so few rows change.
 */
export function createLastEvaluations({ db, store, now }: LastEvaluationDeps): { record(): Promise<void> } {
  /** The start of the last run of this process. */
  let lastRunAt: number | undefined;
  return {
    async record() {
      const startedAt = now();
      const since = lastRunAt === undefined ? startedAt - OLDEST_MS : lastRunAt - HOUR_MS;
      const hours = await store.listLastHours(new Date(since - (since % HOUR_MS)).toISOString());
      for (let start = 0; start < hours.length; start += CHUNK) {
        await write(db, hours.slice(start, start + CHUNK));
      }
      lastRunAt = startedAt;
    },
  };
}

async function write(db: Database, hours: readonly LastHour[]): Promise<void> {
  const rows = hours.map(({ environment_id, flag_key, hour }) => [environment_id, flag_key, hour]);
  const seen = sql`(select value ->> 0 as environment_id, value ->> 1 as flag_key, value ->> 2 as hour
    from ${rowsOf(rows)} as item) as seen`;
  const { rows: due } = await sql<{ flag_id: string; environment_id: string; hour: string }>`
    select own.flag_id, own.environment_id, seen.hour from ${seen}
      join environments on environments.id = seen.environment_id
      join flags on flags.project_id = environments.project_id and flags.key = seen.flag_key
      join flag_environments as own on own.flag_id = flags.id and own.environment_id = seen.environment_id
    where coalesce(own.last_evaluated_at, '') < seen.hour`.execute(db);
  if (due.length === 0) return;
  const changes = due.map((row) => [row.flag_id, row.environment_id, row.hour]);
  await writeExclusively(db, 'last evaluations', async (tx) => {
    await sql`update flag_environments set last_evaluated_at = seen.hour
      from (select value ->> 0 as flag_id, value ->> 1 as environment_id, value ->> 2 as hour
        from ${rowsOf(changes)} as item) as seen
      where flag_environments.flag_id = seen.flag_id and flag_environments.environment_id = seen.environment_id
        and coalesce(flag_environments.last_evaluated_at, '') < seen.hour`.execute(tx);
  });
}
