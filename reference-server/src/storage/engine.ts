import { type Kysely, PostgresAdapter } from 'kysely';
import { createInTurn, type InTurn } from '../in-turn.ts';
import type { Tables } from './tables.ts';

/** Calls back when another process may have written what this one keeps, until it is stopped. */
export type Listen = (hear: () => void) => { stop(): Promise<void> };

/** What a process has of one PostgreSQL besides its connections. */
export class PostgresEngine extends PostgresAdapter {
  readonly listen: Listen;
  readonly inTurn: InTurn = createInTurn();

  constructor(listen: Listen) {
    super();
    this.listen = listen;
  }
}

/** Undefined on SQLite. */
export function postgresOf(db: Kysely<Tables>): PostgresEngine | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof PostgresEngine ? adapter : undefined;
}
