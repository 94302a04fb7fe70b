import type { AnyDatabase, Database, EventDatabase } from '../database.ts';
import { closeWith } from '../long-reads.ts';

/** Keyed by Kysely's adapter, which a database shares with its transactions. */
const databases = new WeakMap<object, EventDatabase>();

/** Makes `events` the place of a database's events and closes it with the database. */
export function keepEvents(db: Database, events: EventDatabase): Database {
  databases.set(db.getExecutor().adapter, events);
  return closeWith(db, events);
}

/** The database with the events of an installation: its own file on SQLite, on PostgreSQL usually the same database. */
export function eventsOf(db: Database): EventDatabase {
  return databases.get(db.getExecutor().adapter) ?? sameDatabase(db);
}

/** Whether events are in another database than everything else. */
export function hasOwnEvents(db: AnyDatabase): boolean {
  return databases.has(db.getExecutor().adapter);
}

/** PostgreSQL's main database contains the tables of events too. */
const sameDatabase = (db: Database): EventDatabase => db as unknown as EventDatabase;
