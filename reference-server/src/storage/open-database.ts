import { damageOf } from './damage.ts';
import type { Database } from './database.ts';
import { isPostgresUrl, withoutSecrets } from './database-url.ts';
import { defaultEventsUrl } from './events/events-url.ts';
import { openEvents } from './events/open-events.ts';
import { keepReader } from './long-reads.ts';
import { migrate } from './migrate.ts';
import type { MigrationState } from './migration-state.ts';
import { POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS } from './migrations.ts';
import { recordRowChanges } from './row-changes.ts';
import { connectSqlite, openSqliteReader } from './sqlite.ts';

export interface OpeningOptions {
  /** Where events are stored; default `defaultEventsUrl`. */
  readonly eventsUrl?: string | undefined;
  /** Called when another node holds the migration lock for more than a second (PostgreSQL only). */
  readonly onWait?: () => void;
  /** Receives the migrations that were due and have run; not called for a new database. */
  readonly onMigrated?: (names: readonly string[]) => void;
}

/**
 * Opens and migrates `sqlite:<path>`, `sqlite::memory:` or `postgres://…`, and the database of its events; `destroy()`
 * closes both. Every connection of the process is opened here, so that each one commits durably. Throws on another
 * scheme.
 */
export async function openDatabase(url: string, options: OpeningOptions = {}): Promise<Database> {
  const db = await (isPostgresUrl(url) ? openPostgres(url, options) : openSqlite(url, options));
  const eventsUrl = options.eventsUrl ?? defaultEventsUrl(url);
  if (eventsUrl === url && isPostgresUrl(url)) return db;
  try {
    return await openEvents(db, eventsUrl);
  } catch (error) {
    await db.destroy();
    (error as Error).message = `its events in ${withoutSecrets(eventsUrl)}: ${(error as Error).message}`;
    throw error;
  }
}

/** The database as it is: nothing is migrated. `destroy()` closes it. */
export async function connectDatabase(url: string): Promise<Database> {
  return isPostgresUrl(url) ? (await import('./postgres.ts')).connectPostgres(url) : connectSqlite(url);
}

async function openSqlite(url: string, options: OpeningOptions): Promise<Database> {
  const db = connectSqlite(url);
  try {
    reportMigrations(await migrate(db, SQLITE_MIGRATIONS), options);
    await recordRowChanges(db);
    const reader = openSqliteReader(url, db);
    return reader === undefined ? db : keepReader(db, reader);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function openPostgres(url: string, options: OpeningOptions): Promise<Database> {
  // Imported on demand: an installation on SQLite never loads the driver.
  const { connectPostgres, openPostgresReader, requireUtf8 } = await import('./postgres.ts');
  const db = connectPostgres(url, options.onWait);
  try {
    await requireUtf8(db);
    reportMigrations(await migrate(db, POSTGRES_MIGRATIONS), options);
    const reader = openPostgresReader(url);
    // Health reports damage that a long read met, too.
    damageOf(reader).watch((found) => void damageOf(db).record(found.cause as Error));
    return keepReader(db, reader);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** `before` is the state in which the database was found. */
function reportMigrations(before: MigrationState, { onMigrated }: OpeningOptions): void {
  if (before.applied.length > 0 && before.pending.length > 0) onMigrated?.(before.pending);
}
