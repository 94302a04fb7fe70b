import type { Database, EventDatabase } from '../database.ts';
import { isPostgresUrl } from '../database-url.ts';
import { migrate } from '../migrate.ts';
import type { Migrations } from '../migrations.ts';
import { connectSqlite, connectSqliteEvents } from '../sqlite.ts';
import { keepEvents } from './event-database.ts';
import { POSTGRES_EVENT_MIGRATIONS, SQLITE_EVENT_MIGRATIONS } from './event-migrations.ts';

/** The migrations of a database that contains only events. */
export const eventMigrationsOf = (url: string): Migrations =>
  isPostgresUrl(url) ? POSTGRES_EVENT_MIGRATIONS : SQLITE_EVENT_MIGRATIONS;

/** Opens and migrates the database of events, and closes it with `db`. */
export async function openEvents(db: Database, url: string): Promise<Database> {
  return keepEvents(db, isPostgresUrl(url) ? await openPostgres(url) : await openSqlite(db, url));
}

async function openSqlite(main: Database, url: string): Promise<EventDatabase> {
  const path = url.slice('sqlite:'.length);
  const direct = connectSqlite(url);
  try {
    await migrate(direct, SQLITE_EVENT_MIGRATIONS);
  } catch (error) {
    await direct.destroy();
    throw error;
  }
  const threaded = path === ':memory:' ? undefined : connectSqliteEvents(path, main);
  if (threaded === undefined) return direct as unknown as EventDatabase;
  await direct.destroy();
  return threaded;
}

async function openPostgres(url: string): Promise<EventDatabase> {
  // Imported on demand: an installation on SQLite never loads the driver.
  const { connectPostgres, requireUtf8 } = await import('../postgres.ts');
  const db = connectPostgres(url);
  try {
    await requireUtf8(db);
    await migrate(db, POSTGRES_EVENT_MIGRATIONS);
    return db as unknown as EventDatabase;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
