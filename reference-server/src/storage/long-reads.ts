import type { Kysely } from 'kysely';
import type { AnyDatabase } from './database.ts';

/** A long read that takes longer fails, so that it cannot occupy its connection for good. */
export const LONG_READ_MAX_MS = 30_000;

/** Keyed by Kysely's adapter, which a database shares with its transactions. */
const readers = new WeakMap<object, AnyDatabase>();

/** Makes `reader` answer the long reads of a database and closes it with the database. */
export function keepReader<Schema>(db: Kysely<Schema>, reader: Kysely<Schema>): Kysely<Schema> {
  readers.set(db.getExecutor().adapter, reader);
  return closeWith(db, reader);
}

/** Makes `destroy` of a database close another one first. */
export function closeWith<Schema>(db: Kysely<Schema>, other: { destroy(): Promise<void> }): Kysely<Schema> {
  const destroy = db.destroy.bind(db);
  return Object.assign(db, {
    destroy: async () => {
      await other.destroy();
      await destroy();
    },
  });
}

/**
 * Where to send a read whose duration grows with the data, such as a page of the audit log. On SQLite, it runs in a
 * worker thread, because a statement on the main connection stops the process. On PostgreSQL, it uses connections of
 * its own, so that long reads cannot take all of them. Sees everything that was committed before. It cannot write.
 */
export function longReads<Schema>(db: Kysely<Schema>): Kysely<Schema> {
  return (readers.get(db.getExecutor().adapter) as Kysely<Schema> | undefined) ?? db;
}
