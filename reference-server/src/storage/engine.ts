import { PostgresAdapter } from 'kysely';
import { createTimedKeyedMutex, type KeyedMutex } from '../lib/keyed-mutex.ts';
import type { AnyDatabase } from './database.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/**
 * Calls `onCommit` whenever another process may have committed something that this process keeps in memory; `stop` ends
 * the calls.
 */
export type Listen = (onCommit: () => void) => { stop(): Promise<void> };

/** The longest wait for a connection, a lock, another write of this process or, on SQLite, another process. */
export const PATIENCE_MS = 5_000;

/** A wait for another node's migrations is reported if it lasts longer than this. */
const MIGRATION_WAIT_REPORTED_MS = 1_000;

/** The state that a process keeps for one PostgreSQL database, besides its connections. */
export class PostgresEngine extends PostgresAdapter {
  readonly listen: Listen;
  readonly #onWait: () => void;
  /** Orders the writes of this process by lock scope. */
  readonly exclusive: KeyedMutex = createTimedKeyedMutex(
    PATIENCE_MS,
    () => new DatabaseUnavailable('other writes take too long'),
  );

  constructor(listen: Listen, onWait: () => void) {
    super();
    this.listen = listen;
    this.#onWait = onWait;
  }

  override async acquireMigrationLock(...all: Parameters<PostgresAdapter['acquireMigrationLock']>) {
    const timer = setTimeout(this.#onWait, MIGRATION_WAIT_REPORTED_MS);
    await super.acquireMigrationLock(...all).finally(() => clearTimeout(timer));
  }
}

/** The engine of a PostgreSQL database; undefined on SQLite. */
export function postgresOf(db: AnyDatabase): PostgresEngine | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof PostgresEngine ? adapter : undefined;
}
