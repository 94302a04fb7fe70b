import type { Kysely, Transaction } from 'kysely';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

/**
 * The database of this installation, on either engine.
 *
 * - SQLite has one connection and hands it to one transaction at a time: never await anything slow inside one.
 *   PostgreSQL has a pool.
 * - A read outside a transaction never sees half a change, but two such reads may see different states. Reads that must
 *   agree go through `readOneState`.
 * - A change of more than one statement, or one that depends on what it has read, goes through `writeAlone`.
 */
export type Database = Kysely<Tables>;

/** An open write transaction, which holds its `LockScope`. */
export type Tx = Transaction<Tables>;

/** What a store's read accepts: the database or an open transaction. */
export type Queryable = Kysely<Tables>;

/**
 * Opens and migrates `sqlite:<path>`, `sqlite::memory:` or `postgres://…`; `destroy()` closes it. Every connection of
 * the process comes from here, so every one commits durably. `onWait` is called when another node holds the migration
 * lock for more than a second (PostgreSQL only). Throws on another scheme.
 */
export async function openDatabase(url: string, onWait: () => void = () => {}): Promise<Database> {
  if (!/^postgres(ql)?:/.test(url)) return openSqlite(url);
  // Imported on demand: an installation on SQLite never loads the driver.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, onWait);
}
