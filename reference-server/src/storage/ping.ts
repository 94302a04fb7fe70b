import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { postgresOf } from './engine.ts';

/** Health probes give up after about a second, so this answers sooner. */
const WAIT_MS = 500;
/**
 * A database that is silent for less than this counts as busy, not as unavailable: a long import may hold SQLite's only
 * connection.
 */
const BUSY_MAX_MS = 60_000;
/** PostgreSQL has several connections, so only a wait for a lock is tolerated. */
const POSTGRES_BUSY_MAX_MS = 5_000;

export interface PingTimes {
  readonly waitMs?: number;
  readonly busyMaxMs?: number;
}

/** Checks that the database answers. Waits 500 ms at most; throws on an error, or after a silence of `busyMaxMs`. */
export function createPing(db: Database, times: PingTimes = {}): () => Promise<void> {
  const busyDefault = postgresOf(db) === undefined ? BUSY_MAX_MS : POSTGRES_BUSY_MAX_MS;
  const { waitMs = WAIT_MS, busyMaxMs = busyDefault } = times;
  let silentSince: number | undefined;
  return async () => {
    silentSince ??= performance.now();
    // Reads a table that everything needs. A statement that begins with `values` counts as a write, so on SQLite the
    // file is checked too.
    const answer = sql`values ((select 1 from organizations limit 1))`.execute(db).then(() => {
      silentSince = undefined;
    });
    await Promise.race([answer, setTimeout(waitMs, undefined, { ref: false })]);
    // The answer may reject after this function has returned; nothing else would handle that.
    answer.catch(() => {});
    if (silentSince === undefined || performance.now() - silentSince < busyMaxMs) return;
    throw new Error('The database does not answer');
  };
}
