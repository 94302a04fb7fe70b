import type { Kysely, Transaction } from 'kysely';
import type { EventTables } from './event-tables.ts';
import type { Tables } from './tables.ts';

/**
 * The database of this installation, on either engine.
 *
 * - SQLite has one connection and hands it to one transaction at a time: never await anything slow inside a
 *   transaction. PostgreSQL has a pool.
 * - A read outside a transaction never sees half a change, but two such reads may see different states. Reads that must
 *   agree go through `readConsistently`.
 * - A change that needs more than one statement, or depends on something read before, goes through `writeExclusively`.
 */
export type Database = Kysely<Tables>;

/** An open write transaction, which holds its `LockScope`. */
export type Tx = Transaction<Tables>;

/** What the reading functions of stores accept: the database or an open transaction. */
export type Queryable = Kysely<Tables>;

/** Where events are stored: a database of its own, or on PostgreSQL usually the same one. */
export type EventDatabase = Kysely<EventTables>;

/** An open transaction of the event database. */
export type EventTx = Transaction<EventTables>;

/** A database of any schema, for what only concerns its engine. */
export type AnyDatabase = Pick<Kysely<unknown>, 'getExecutor'>;
