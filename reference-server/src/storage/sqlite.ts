import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { type Activity, activityOf, createActivity, type DatabaseState, keepActivity } from './activity.ts';
import { createDamage, type Damage, damageOf, keepDamage } from './damage.ts';
import type { AnyDatabase } from './database.ts';
import { PATIENCE_MS } from './engine.ts';
import type { EventTables } from './event-tables.ts';
import { keepReader } from './long-reads.ts';
import { observeDriver } from './observed-driver.ts';
import { toStorageFault } from './sqlite-faults.ts';
import { createFileGuard } from './sqlite-file.ts';
import type { Tables } from './tables.ts';
import { isRead, requireStorable } from './text-checks.ts';
import { canUseWorkers, createWorkerDriver } from './worker-driver.ts';

const STATEMENT_CACHE_SIZE = 500;
/** The oldest Node-API version that better-sqlite3 runs on. */
const NAPI_MIN = 10;

/** Two, so that a page of a list need not wait for an export. Each takes a thread when it is first needed. */
const READERS = 2;
/** Pause between two attempts to run a statement while another process writes, in milliseconds. */
const RETRY_MS = 5;

/** Begins a transaction without the write lock. */
const READ_BEGIN = 'begin deferred';

/** What the process knows about one database. */
interface Records {
  readonly damage: Damage;
  readonly activity: Activity;
  readonly isInTransaction: () => boolean;
}

class Dialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #records: Records;

  constructor(config: SqliteDialectConfig, records: Records) {
    super(config);
    this.#config = config;
    this.#records = records;
  }

  override createDriver(): Driver {
    return observeDriver(new PatientDriver(this.#config, this.#records), this.#records.activity);
  }

  override createAdapter(): SqliteAdapter {
    return createAdapter(this.#records);
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new SteadyCompiler();
  }
}

/**
 * Declares two abilities that Kysely's adapter denies. SQLite can roll back schema changes; if Kysely did not know
 * that, a process killed during a migration would leave tables behind that the next start fails to create.
 * `supportsMultipleConnections` keeps Kysely from queueing callers for the single connection: the drivers queue them
 * themselves, because they limit how long each one waits.
 */
function createAdapter({ damage, activity }: Pick<Records, 'damage' | 'activity'>): SqliteAdapter {
  const adapter: SqliteAdapter = Object.defineProperties(new SqliteAdapter(), {
    supportsTransactionalDdl: { value: true },
    supportsMultipleConnections: { value: true },
  });
  keepDamage(adapter, damage);
  keepActivity(adapter, activity);
  return adapter;
}

/**
 * Waits for other processes without blocking: SQLite's own wait would stop the event loop. The time in the queue for the
 * connection counts towards the same limit. A writer that waits for the lock lets others use the connection, so that
 * reads go on.
 */
class PatientDriver extends SqliteDriver {
  readonly #records: Records;
  /** Settles when every earlier caller has released the connection. */
  #queue: Promise<void> = Promise.resolve();
  #release = (): void => {};

  constructor(config: SqliteDialectConfig, records: Records) {
    super(config);
    this.#records = records;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const deadline = performance.now() + PATIENCE_MS;
    await this.#enter();
    const connection = await super.acquireConnection();
    const rethrow = (fault: unknown): never => {
      throw toStorageFault(fault, this.#records.damage);
    };
    const pause = () => this.#pause();
    return {
      executeQuery: <R>(query: CompiledQuery) =>
        untilFree({ deadline, pause }, () => connection.executeQuery<R>(query)).catch(rethrow),
      streamQuery: (...all) => connection.streamQuery(...all),
    };
  }

  /** Waits until every earlier caller has released the connection. */
  async #enter(): Promise<void> {
    const previous = this.#queue;
    let release = (): void => {};
    this.#queue = new Promise((resolve) => {
      release = resolve;
    });
    await previous;
    this.#release = release;
  }

  /** Waits before a statement runs again. Outside a transaction, others may use the connection meanwhile. */
  async #pause(): Promise<void> {
    this.#records.activity.retried();
    const isShared = !this.#records.isInTransaction();
    if (isShared) this.#release();
    await setTimeout(RETRY_MS);
    if (isShared) await this.#enter();
  }

  override async releaseConnection(): Promise<void> {
    this.#release();
  }

  /**
   * Writers begin IMMEDIATE: a transaction that reads first and takes the write lock later would fail with SQLITE_BUSY
   * if another process wrote in between.
   */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? READ_BEGIN : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }
}

interface Patience {
  /** The time of `performance.now()` at which to give up. */
  readonly deadline: number;
  /** Waits before the next attempt. */
  readonly pause: () => Promise<void>;
}

async function untilFree<T>({ deadline, pause }: Patience, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > deadline) throw error;
      await pause();
    }
  }
}

/**
 * Writes `+?` for each parameter. SQLite plans joins and limits by the values of bare parameters; better-sqlite3 clears
 * them after each run, so SQLite would prepare the statement anew every time, which takes up to fifty times as long as
 * running it. The unary plus does not change the value, but hides it from the planner.
 */
class SteadyCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

/** The database `sqlite:<path>` or `sqlite::memory:` as it is: nothing is migrated. */
export function connectSqlite(url: string): Kysely<Tables> {
  const damage = createDamage();
  try {
    const connection = openConnection(url);
    connection.pragma('busy_timeout = 0');
    return queryOver(connection, damage);
  } catch (fault) {
    throw toStorageFault(fault, damage);
  }
}

/** Connections for the long reads of an open database. Undefined in memory, where there is only one connection. */
export function openSqliteReader(url: string, db: Kysely<Tables>): Kysely<Tables> | undefined {
  const path = url.slice('sqlite:'.length);
  if (path === ':memory:' || !canUseWorkers) return undefined;
  const toFault = (fault: unknown): unknown => toStorageFault(fault, damageOf(db));
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => db.getExecutor().adapter,
      createDriver: () => createWorkerDriver(path, { size: READERS, toFault }),
      createQueryCompiler: () => new SteadyCompiler(),
      createIntrospector: (queries) => new SqliteIntrospector(queries),
    },
  });
}

/**
 * The database of the events beside `main`, as it is. Its statements run in a thread, so that neither a commit nor a large
 * batch stops other requests. Undefined where no threads can run. Activity and damage are reported as those of `main`.
 */
export function connectSqliteEvents(path: string, main: AnyDatabase): Kysely<EventTables> | undefined {
  if (!canUseWorkers) return undefined;
  const damage = createDamage();
  damage.watch((found) => void damageOf(main).record(found.cause as Error));
  const activity: Activity = { ...activityOf(main), use: { active: 0, waiting: 0 } };
  const toFault = (fault: unknown): unknown => toStorageFault(fault, damage);
  const over = (options: { readonly size: number; readonly canWrite: boolean }, adapter: SqliteAdapter) =>
    new Kysely<EventTables>({
      dialect: {
        createAdapter: () => adapter,
        createDriver: () => observeDriver(createWorkerDriver(path, { ...options, toFault }), activity),
        createQueryCompiler: () => new SteadyCompiler(),
        createIntrospector: (queries) => new SqliteIntrospector(queries),
      },
    });
  const adapter = createAdapter({ damage, activity });
  return keepReader(over({ size: 1, canWrite: true }, adapter), over({ size: 1, canWrite: false }, adapter));
}

/** The database of an open connection, as it is: nothing is migrated. `destroy()` closes the connection. */
export function queryOver(connection: Sqlite.Database, damage: Damage = createDamage()): Kysely<Tables> {
  const activity = createActivity();
  activity.readState = async () => readState(connection, activity);
  const isInTransaction = (): boolean => connection.inTransaction;
  return new Kysely<Tables>({
    dialect: new Dialect({ database: withStatementCache(connection) }, { damage, activity, isInTransaction }),
  });
}

/**
 * Opens a connection with durable commits. better-sqlite3 is built to use `synchronous=NORMAL` in WAL mode, where a power
 * cut loses acknowledged writes, so every connection sets FULL.
 */
export function openConnection(url: string): Sqlite.Database {
  if (!url.startsWith('sqlite:')) throw new Error(`Unsupported database: ${url.split(':', 1)[0]}:`);
  // On an older version, better-sqlite3 crashes the process instead of throwing.
  if (Number(process.versions['napi']) < NAPI_MIN) {
    throw new Error(`SQLite needs Node.js 22.14 or newer; this is ${process.version}`);
  }
  const path = url.slice('sqlite:'.length);
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true });
    createPrivate(path);
  }
  const connection = new Sqlite(path);
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('busy_timeout = 5000');
  return connection;
}

/**
 * Creates the file with mode 600, because it holds password hashes and e-mail addresses. SQLite gives the WAL files the
 * same mode. An existing file keeps its mode.
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports next why it cannot be created.
  }
}

/** A connection that keeps its prepared statements. */
function withStatementCache(connection: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  const requireSameFile = connection.memory ? () => {} : createFileGuard(connection.name);
  return {
    close: () => void connection.close(),
    prepare(text) {
      const known = statements.get(text);
      if (known !== undefined) return known;
      if (statements.size >= STATEMENT_CACHE_SIZE) statements.clear();
      const statement =
        text === 'rollback' ? rollback(connection) : prepare(connection, text, requireSameFile);
      statements.set(text, statement);
      return statement;
    },
  };
}

/** Prepares a statement that checks its texts and, where it starts a write, that the file is still in place. */
function prepare(
  connection: Sqlite.Database,
  text: string,
  requireSameFile: () => void,
): ReturnType<SqliteDatabase['prepare']> {
  const statement: ReturnType<SqliteDatabase['prepare']> = connection.prepare(text);
  if (isRead(text) || text === READ_BEGIN) return statement;
  const checked = <Result>(act: (parameters: readonly unknown[]) => Result) => {
    return (parameters: readonly unknown[]): Result => {
      requireStorable(parameters);
      if (!connection.inTransaction) requireSameFile();
      return act(parameters);
    };
  };
  return {
    reader: statement.reader,
    all: checked((parameters) => statement.all(parameters)),
    iterate: checked((parameters) => statement.iterate(parameters)),
    run: checked((parameters) => statement.run(parameters)),
  };
}

/**
 * A rollback that does nothing outside a transaction. SQLite itself rolls back when the disk is full or fails; a second
 * rollback would throw an error that hides the cause.
 */
function rollback(connection: Sqlite.Database): ReturnType<SqliteDatabase['prepare']> {
  const statement = connection.prepare('rollback');
  return {
    reader: false,
    all: () => [],
    iterate: () => [][Symbol.iterator](),
    run(parameters) {
      if (connection.inTransaction) return statement.run(parameters as unknown[]);
      return { changes: 0, lastInsertRowid: 0 };
    },
  };
}

/** Reads the sizes at once: the connection is free between two steps of its callers. */
function readState(connection: Sqlite.Database, { use }: Activity): DatabaseState {
  const read = (name: string) => connection.pragma(name, { simple: true }) as number;
  const wal = connection.memory ? undefined : statSync(`${connection.name}-wal`, { throwIfNoEntry: false });
  return {
    sizeBytes: read('page_count') * read('page_size'),
    walBytes: connection.memory ? undefined : (wal?.size ?? 0),
    idle: 1 - use.active,
  };
}
