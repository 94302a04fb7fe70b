import { isPostgresUrl } from '../database-url.ts';

const FILE = /\.(db|sqlite3?)$/;

/**
 * Where the events of a database are unless the operator names another place: a file beside an SQLite file
 * (`flagsvc.events.db` beside `flagsvc.db`), in memory for a database in memory, the same database on PostgreSQL.
 */
export function defaultEventsUrl(databaseUrl: string): string {
  if (isPostgresUrl(databaseUrl) || databaseUrl === 'sqlite::memory:') return databaseUrl;
  return `${databaseUrl.replace(FILE, '')}.events.db`;
}
