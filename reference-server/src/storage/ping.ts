import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { postgresOf } from './engine.ts';

/** Probes wait about a second. */
const WAIT_MS = 500;
/** A database at work is not one that is away: SQLite's only connection may be with a long import. */
const BUSY_MAX_MS = 60_000;
/** PostgreSQL has a connection for others meanwhile; it is as patient as for a lock. */
const POSTGRES_BUSY_MAX_MS = 5_000;

export interface PingTimes {
  readonly waitMs?: number;
  readonly busyMaxMs?: number;
}

/** Asks whether the database answers, without waiting long. Throws when it fails, or has been silent for too long. */
export function createPing(db: Database, times: PingTimes = {}): () => Promise<void> {
  const busyDefault = postgresOf(db) === undefined ? BUSY_MAX_MS : POSTGRES_BUSY_MAX_MS;
  const { waitMs = WAIT_MS, busyMaxMs = busyDefault } = times;
  let silentSince: number | undefined;
  return async () => {
    silentSince ??= performance.now();
    // Reads what everything needs, and is no mere read, so that SQLite also asks whether its file is in its place.
    const answer = sql`values ((select 1 from organizations limit 1))`.execute(db).then(() => {
      silentSince = undefined;
    });
    await Promise.race([answer, setTimeout(waitMs, undefined, { ref: false })]);
    // It may fail when nobody waits for it any more.
    answer.catch(() => {});
    if (silentSince === undefined || performance.now() - silentSince < busyMaxMs) return;
    throw new Error('The database does not answer');
  };
}
