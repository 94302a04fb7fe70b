import { damageOf } from './damage.ts';
import type { Database } from './database.ts';
import { isPostgresUrl } from './database-url.ts';
import { keepReader } from './long-reads.ts';
import { migrate } from './migrate.ts';
import { POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS } from './migrations.ts';
import { recordRowChanges } from './row-changes.ts';
import { connectSqlite, openSqliteReader } from './sqlite.ts';

/**
 * Opens and migrates `sqlite:<path>`, `sqlite::memory:` or `postgres://…`; `destroy()` closes it. Every connection of
 * the process is opened here, so that each one commits durably. `onWait` is called when another node holds the
 * migration lock for more than a second (PostgreSQL only). Throws on another scheme.
 */
export async function openDatabase(url: string, onWait: () => void = () => {}): Promise<Database> {
  return isPostgresUrl(url) ? openPostgres(url, onWait) : openSqlite(url);
}

/** The database as it is: nothing is migrated. `destroy()` closes it. */
export async function connectDatabase(url: string): Promise<Database> {
  return isPostgresUrl(url) ? (await import('./postgres.ts')).connectPostgres(url) : connectSqlite(url);
}

async function openSqlite(url: string): Promise<Database> {
  const db = connectSqlite(url);
  try {
    await migrate(db, SQLITE_MIGRATIONS);
    await recordRowChanges(db);
    const reader = openSqliteReader(url, db);
    return reader === undefined ? db : keepReader(db, reader);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function openPostgres(url: string, onWait: () => void): Promise<Database> {
  // Imported on demand: an installation on SQLite never loads the driver.
  const { connectPostgres, openPostgresReader, requireUtf8 } = await import('./postgres.ts');
  const db = connectPostgres(url, onWait);
  try {
    await requireUtf8(db);
    await migrate(db, POSTGRES_MIGRATIONS);
    const reader = openPostgresReader(url);
    // Health reports damage that a long read met, too.
    damageOf(reader).watch((found) => void damageOf(db).record(found.cause as Error));
    return keepReader(db, reader);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
