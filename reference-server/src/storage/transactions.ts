import { sql } from 'kysely';
import type { Database, Queryable, Tx } from './database.ts';
import { postgresOf } from './engine.ts';

/** Whose turn it is to write: an organization's, or that of something that belongs to none or to many, by a word. */
export type Turn = { readonly organizationId: string } | string;

/**
 * Runs `act` in a transaction during which nobody else writes in the same turn. SQLite has one writer in any case. On
 * PostgreSQL `act` may run again, when writers of other turns were in the way of its statements, and in the turn of an
 * organization it finds and writes no rows but those that row-level security allows.
 */
export async function writeAlone<T>(db: Database, turn: Turn, act: (tx: Tx) => Promise<T>): Promise<T> {
  const postgres = postgresOf(db);
  if (postgres === undefined) return db.transaction().execute(act);
  const isOwn = typeof turn !== 'string';
  const name = isOwn ? turn.organizationId : turn;
  const run = () =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0)),
          set_config('flagsvc.organization', ${isOwn ? name : ''}, true)`.execute(tx);
        return act(tx);
      });
  // Whoever waits for a turn of this process must not hold one of its few connections meanwhile.
  return postgres.inTurn(name, () => run().catch((error) => (isRace(error) ? run() : Promise.reject(error))));
}

/** Runs `act` in a transaction that sees one state from its first statement to its last. It writes nothing. */
export async function readOneState<T>(db: Database, act: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(act);
}

/**
 * Runs `act` with what sees one state on PostgreSQL. SQLite's only connection is not to be held for long, so there each
 * statement sees its own.
 */
export async function readAtLength<T>(db: Database, act: (reading: Queryable) => Promise<T>): Promise<T> {
  return postgresOf(db) === undefined ? act(db) : readOneState(db, act);
}

/** A row that another writer has made, or a deadlock with one. */
const RACES: ReadonlySet<unknown> = new Set(['23505', '40001', '40P01']);

function isRace(error: unknown): boolean {
  return RACES.has((error as { code?: unknown }).code);
}
