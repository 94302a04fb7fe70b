import type { Kysely, Transaction } from 'kysely';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

/**
 * What a process asks. SQLite has one connection, which Kysely hands to one transaction at a time, so nothing slow may
 * be awaited inside one; PostgreSQL has several. With either, reads outside a transaction never see half a change, and
 * two of them may see different states: what must see one is read within `readOneState`, and what writes more than one
 * statement, or writes what it has read, does so within `writeAlone` (decision 0147).
 */
export type Database = Kysely<Tables>;

/** An open write transaction: nobody else writes what it does. */
export type Tx = Transaction<Tables>;

/** What a store's read takes: the database or an open transaction. */
export type Queryable = Kysely<Tables>;

/**
 * Opens and migrates a database: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. Every connection is opened here
 * or below, so that every one is durable. Throws on another scheme. `destroy()` closes it. `onWait` hears that another
 * node is still at the tables, which PostgreSQL waits for.
 */
export async function openDatabase(url: string, onWait: () => void = () => {}): Promise<Database> {
  if (!/^postgres(ql)?:/.test(url)) return openSqlite(url);
  // Whoever has no PostgreSQL need not load its driver.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, onWait);
}
