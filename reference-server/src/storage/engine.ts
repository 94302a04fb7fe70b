import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables.ts';

/** Calls back when another process may have written what this one keeps, until it is stopped. */
export type Listen = (hear: () => void) => { stop(): Promise<void> };

/** What a process has of one PostgreSQL besides its connections. */
export class PostgresEngine extends PostgresAdapter {
  readonly listen: Listen;
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(listen: Listen) {
    super();
    this.listen = listen;
  }

  /** Runs `act` when all that was handed in before under the same name is over. */
  async inTurn<T>(name: string, act: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(name);
    const mine = (before ?? Promise.resolve()).then(act, act);
    this.#turns.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(name) === mine) this.#turns.delete(name);
    }
  }
}

/** Undefined on SQLite. */
export function postgresOf(db: Kysely<Tables>): PostgresEngine | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof PostgresEngine ? adapter : undefined;
}
