import { type Kysely, PostgresAdapter } from 'kysely';
import { createImpatientInTurn, type InTurn } from '../lib/keyed-mutex.ts';
import type { Tables } from './tables.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** Calls back when another process may have written what this one keeps, until it is stopped. */
export type Listen = (hear: () => void) => { stop(): Promise<void> };

/** For a connection, for a lock, for a turn before, and on SQLite for another process that writes. */
export const PATIENCE_MS = 5_000;

/** Who waits longer for another node to bring the tables up to date says so. */
const WAIT_TOLD_MS = 1_000;

/** What a process has of one PostgreSQL besides its connections. */
export class PostgresEngine extends PostgresAdapter {
  readonly listen: Listen;
  readonly #onWait: () => void;
  readonly inTurn: InTurn = createImpatientInTurn(
    PATIENCE_MS,
    () => new DatabaseUnavailable('others that write take too long'),
  );

  constructor(listen: Listen, onWait: () => void) {
    super();
    this.listen = listen;
    this.#onWait = onWait;
  }

  override async acquireMigrationLock(...all: Parameters<PostgresAdapter['acquireMigrationLock']>) {
    const timer = setTimeout(this.#onWait, WAIT_TOLD_MS);
    await super.acquireMigrationLock(...all).finally(() => clearTimeout(timer));
  }
}

/** Undefined on SQLite. */
export function postgresOf(db: Kysely<Tables>): PostgresEngine | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof PostgresEngine ? adapter : undefined;
}
