import type { Database, Queryable } from './database.ts';

/** A long read that takes longer fails, so that it cannot occupy its connection for good. */
export const LONG_READ_MAX_MS = 30_000;

/** Keyed by Kysely's adapter, which a database shares with its transactions. */
const readers = new WeakMap<object, Queryable>();

/** Makes `reader` answer the long reads of a database and closes it with the database. */
export function keepReader(db: Database, reader: Database): Database {
  readers.set(db.getExecutor().adapter, reader);
  const destroy = db.destroy.bind(db);
  return Object.assign(db, {
    destroy: async () => {
      await reader.destroy();
      await destroy();
    },
  });
}

/**
 * Where to send a read whose duration grows with the data, such as a page of the audit log. On SQLite, it runs in a
 * worker thread, because a statement on the main connection stops the process. On PostgreSQL, it uses connections of
 * its own, so that long reads cannot take all of them. Sees everything that was committed before. It cannot write.
 */
export function longReads(db: Database): Queryable {
  return readers.get(db.getExecutor().adapter) ?? db;
}
