import type { AnyDatabase } from './database.ts';

/** The kind of a statement. Everything that Kysely does not build, such as `begin`, is `other`. */
export type StatementKind = 'select' | 'insert' | 'update' | 'delete' | 'other';

/** One statement that has ended. */
export interface StatementReport {
  readonly kind: StatementKind;
  /** The first table that the statement names; undefined if it names none. */
  readonly table: string | undefined;
  /** The statement's text, with placeholders instead of values. */
  readonly text: string;
  readonly durationMs: number;
  /** Undefined if the statement succeeded. */
  readonly error: Error | undefined;
}

/** Receives what happens on the connections of a database. Its methods must not throw and must return quickly. */
export interface DatabaseObserver {
  /** Called in the asynchronous context of the caller that ran the statement. */
  statement(report: StatementReport): void;
  /** A transaction ended. `durationMs` is the time since it began. */
  transaction(outcome: 'commit' | 'rollback', durationMs: number): void;
  /** A caller got a connection after this time. */
  waited(durationMs: number): void;
  /** A statement or a transaction runs again, because another process was writing or was faster. */
  retried(): void;
}

/** How many callers have a connection, and how many wait for one. */
export interface ConnectionUse {
  active: number;
  waiting: number;
}

/** What the database occupies now. */
export interface DatabaseState {
  readonly sizeBytes: number;
  /** Size of SQLite's write-ahead log; undefined on PostgreSQL and in memory. */
  readonly walBytes: number | undefined;
  /** Open connections that no caller uses. */
  readonly idle: number;
}

/** Reports the activity of one database to its observers. */
export interface Activity extends DatabaseObserver {
  /** False while nobody observes, so that nothing needs to be measured. */
  isObserved(): boolean;
  observe(observer: DatabaseObserver): void;
  /** Kept by the driver. */
  readonly use: ConnectionUse;
  /** Reads the state; set by the engine. Rejects while the database is unavailable. */
  readState: () => Promise<DatabaseState>;
}

export function createActivity(): Activity {
  const observers: DatabaseObserver[] = [];
  return {
    use: { active: 0, waiting: 0 },
    isObserved: () => observers.length > 0,
    observe: (observer) => void observers.push(observer),
    statement(report) {
      for (const observer of observers) observer.statement(report);
    },
    transaction(outcome, durationMs) {
      for (const observer of observers) observer.transaction(outcome, durationMs);
    },
    waited(durationMs) {
      for (const observer of observers) observer.waited(durationMs);
    },
    retried() {
      for (const observer of observers) observer.retried();
    },
    readState: () => Promise.reject(new Error('the engine reports no state')),
  };
}

/** Keyed by Kysely's adapter, which a database shares with its transactions. */
const activities = new WeakMap<object, Activity>();

export function keepActivity(adapter: object, activity: Activity): void {
  activities.set(adapter, activity);
}

/** The activity of a database that `openDatabase` has opened. */
export function activityOf(db: AnyDatabase): Activity {
  return activities.get(db.getExecutor().adapter)!;
}
