import { setTimeout } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { CONTRACTIONS, type Contractions } from './contractions.ts';
import type { Database } from './database.ts';
import { postgresOf } from './engine.ts';
import {
  createRecords,
  type MigrationState,
  NewerSchema,
  readMigrationState,
  recordMigration,
} from './migration-state.ts';
import type { Migrations } from './migrations.ts';
import type { Tables } from './tables.ts';

/**
 * How long a migration waits for a table on PostgreSQL. The requests of other nodes queue behind a waiting migration, so
 * it gives up soon and tries again.
 */
const TABLE_WAIT_MS = 500;
const RETRY_PAUSE_MS = 500;
const ATTEMPTS_MAX = 60;

/** Lock timeout and deadlock: other transactions used the table. */
const BUSY_TABLE: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/**
 * Runs all migrations that have not run yet. Each has its own transaction, so that nodes of the version before, which
 * serve meanwhile, wait for one table at a time. A new database gets all tables in one transaction. Returns the state
 * before. Throws NewerSchema, or the engine's error.
 */
export async function migrate(
  db: Database,
  migrations: Migrations,
  contractions: Contractions = CONTRACTIONS,
): Promise<MigrationState> {
  const before = await readMigrationState(db, migrations);
  requireUsable(before);
  if (before.pending.length > 0) {
    await withMigrationLock(db, async (connection) => {
      while (await runNext(connection, { migrations, contractions }));
    });
  }
  return before;
}

function requireUsable({ barring }: MigrationState): void {
  if (barring.length > 0) throw new NewerSchema(barring[0]!);
}

/** Runs `act` while no other node migrates. SQLite needs no lock: it has a single writer. */
async function withMigrationLock(
  db: Database,
  act: (connection: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  const { adapter } = db.getExecutor();
  const lock = { lockTable: '', lockRowId: '' };
  await db.connection().execute(async (connection) => {
    await adapter.acquireMigrationLock(connection, lock);
    try {
      await act(connection);
    } finally {
      await adapter.releaseMigrationLock(connection, lock);
    }
  });
}

/** Runs the next migration, or all of them on a new database. False: there was none. */
async function runNext(
  connection: Kysely<Tables>,
  { migrations, contractions }: { readonly migrations: Migrations; readonly contractions: Contractions },
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connection.transaction().execute(async (tx) => {
        if (postgresOf(tx) !== undefined)
          await sql.raw(`set local lock_timeout = ${TABLE_WAIT_MS}`).execute(tx);
        await createRecords(tx);
        // Another process may have migrated the database since the state was read.
        const state = await readMigrationState(tx, migrations);
        requireUsable(state);
        const next = state.applied.length === 0 ? state.pending : state.pending.slice(0, 1);
        for (const name of next) {
          for (const statement of migrations[name]!) await sql.raw(statement).execute(tx);
          await recordMigration(tx, name, contractions[name] ?? null);
        }
        return next.length > 0;
      });
    } catch (error) {
      if (!BUSY_TABLE.has((error as { code?: unknown }).code) || attempt === ATTEMPTS_MAX) throw error;
      await setTimeout(RETRY_PAUSE_MS);
    }
  }
}
