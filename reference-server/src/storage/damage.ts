import type { AnyDatabase } from './database.ts';

/** Logged once, at the first sign of damage. */
export const DAMAGE_ADVICE =
  'the database is damaged: restore a backup. Until then, requests that need the damaged part get 503; other requests still work, and so does flag evaluation, which runs from memory. A restart before the restore may fail';

/** A part of the database is damaged; retrying does not help. The cause is the error that revealed it. */
export class DatabaseCorrupt extends Error {
  readonly code = 'DATABASE_CORRUPT';

  constructor(cause: Error) {
    super(`the database is damaged: ${cause.message}`, { cause });
  }
}

/** Remembers the first damage found, until the process ends. */
export interface Damage {
  /** Records the engine's error and wraps it in a DatabaseCorrupt. */
  record(cause: Error): DatabaseCorrupt;
  /** The first recorded error. */
  found(): DatabaseCorrupt | undefined;
  /** Calls `listener` only once, with the first recorded error. If there already is one, calls it immediately. */
  watch(listener: (found: DatabaseCorrupt) => void): void;
}

export function createDamage(): Damage {
  let first: DatabaseCorrupt | undefined;
  const listeners: ((found: DatabaseCorrupt) => void)[] = [];
  return {
    record(cause) {
      const fault = new DatabaseCorrupt(cause);
      if (first === undefined) {
        first = fault;
        for (const listener of listeners) listener(fault);
      }
      return fault;
    },
    found: () => first,
    watch(listener) {
      listeners.push(listener);
      if (first !== undefined) listener(first);
    },
  };
}

/** Keyed by Kysely's adapter, which a database shares with its transactions. */
const damages = new WeakMap<object, Damage>();

export function keepDamage(adapter: object, damage: Damage): void {
  damages.set(adapter, damage);
}

/** The damage record of a database that `openDatabase` has opened. */
export function damageOf(db: AnyDatabase): Damage {
  return damages.get(db.getExecutor().adapter)!;
}
