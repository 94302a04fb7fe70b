import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** What an operator is told, once. */
export const DAMAGE_ADVICE =
  'the database is damaged: restore a backup. Until then requests that need the damaged part are answered 503, others go on, and flags are evaluated from memory. A restart may fail as long as no backup is in its place';

/** A part of the database is damaged, and no retry helps. The cause says how it was noticed. */
export class DatabaseCorrupt extends Error {
  readonly code = 'DATABASE_CORRUPT';

  constructor(cause: Error) {
    super(`the database is damaged: ${cause.message}`, { cause });
  }
}

/** Remembers whether damage was come across, which is for as long as the process runs. */
export interface Damage {
  /** Makes a DatabaseCorrupt of what an engine threw, and notes it. */
  note(cause: Error): DatabaseCorrupt;
  /** The first that was noted. */
  found(): DatabaseCorrupt | undefined;
  /** Calls back once, with the first. */
  watch(listener: (found: DatabaseCorrupt) => void): void;
}

export function createDamage(): Damage {
  let first: DatabaseCorrupt | undefined;
  const listeners: ((found: DatabaseCorrupt) => void)[] = [];
  return {
    note(cause) {
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

/** By the adapter, which a database and its transactions share. */
const damages = new WeakMap<object, Damage>();

export function keepDamage(adapter: object, damage: Damage): void {
  damages.set(adapter, damage);
}

/** Of a database that was opened by `openDatabase`. */
export function damageOf(db: Kysely<Tables>): Damage {
  return damages.get(db.getExecutor().adapter)!;
}
