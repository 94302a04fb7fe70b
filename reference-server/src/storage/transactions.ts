import { type Kysely, sql, type Transaction } from 'kysely';
import { activityOf } from './activity.ts';
import type { Database, Queryable, Tx } from './database.ts';
import { postgresOf } from './engine.ts';
import { longReads } from './long-reads.ts';
import type { Tables } from './tables.ts';

/** What a write locks: one organization, or a named thing that belongs to no organization or to several. */
export type LockScope = { readonly organizationId: string } | string;

/**
 * Runs `act` in a transaction that no other writer of the same scope overlaps. SQLite has a single writer anyway. On
 * PostgreSQL, `act` runs a second time if a writer of another scope interfered. In an organization's scope, row-level
 * security also hides the rows of all other organizations.
 */
export async function writeExclusively<T, Schema = Tables>(
  db: Kysely<Schema>,
  scope: LockScope,
  act: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const postgres = postgresOf(db);
  if (postgres === undefined) return db.transaction().execute(act);
  const isOrganization = typeof scope !== 'string';
  const name = isOrganization ? scope.organizationId : scope;
  const run = () =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0)),
          set_config('flagsvc.organization', ${isOrganization ? name : ''}, true)`.execute(tx);
        return act(tx);
      });
  // Wait in this process first: a writer that waits inside the database holds one of the few connections.
  return postgres.exclusive(name, () =>
    run().catch((error) => {
      if (!isRace(error)) throw error;
      activityOf(db).retried();
      return run();
    }),
  );
}

/** Runs `act` in a read-only transaction whose statements all see the same state. */
export async function readConsistently<T>(db: Database, act: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(act);
}

/** Runs a long read whose statements all see the same state, where it stops nobody else (`longReads`). */
export async function runLongRead<T>(db: Database, act: (reading: Queryable) => Promise<T>): Promise<T> {
  const reader = longReads(db);
  // In memory, a transaction would block the only connection.
  const isAlone = reader === db && postgresOf(db) === undefined;
  return isAlone ? act(db) : readConsistently(reader, act);
}

/** Unique violation, serialization failure, deadlock: another writer was faster, and a second try succeeds. */
const RACES: ReadonlySet<unknown> = new Set(['23505', '40001', '40P01']);

function isRace(error: unknown): boolean {
  return RACES.has((error as { code?: unknown }).code);
}
