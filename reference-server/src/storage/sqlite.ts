import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { createDamage, type Damage, keepDamage } from './damage.ts';
import { PATIENCE_MS } from './engine.ts';
import { migrate, SQLITE_MIGRATIONS } from './migrations.ts';
import { noteRowChanges } from './row-changes.ts';
import { toStorageFault } from './sqlite-faults.ts';
import type { Tables } from './tables.ts';
import { isRead, requireStorable } from './text-checks.ts';
import { DatabaseUnavailable } from './unavailable.ts';

const STATEMENT_CACHE_SIZE = 500;
/** Node-API. */
const NAPI_MIN = 10;

/** So often whoever waits for another process that writes tries again. */
const RETRY_MS = 5;

/** Takes no lock that another process could hold. */
const READ_BEGIN = 'begin deferred';

class Dialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #damage: Damage;

  constructor(config: SqliteDialectConfig, damage: Damage) {
    super(config);
    this.#config = config;
    this.#damage = damage;
  }

  override createDriver(): SqliteDriver {
    return new PatientDriver(this.#config, this.#damage);
  }

  /**
   * SQLite takes schema changes back with the transaction, which Kysely's adapter does not count on. Without it, a
   * process that is killed while it migrates leaves tables that the next start cannot create. There is one connection,
   * but Kysely is not to hand it out: it is the driver who does, and sees for how long each has waited.
   */
  override createAdapter(): SqliteAdapter {
    const adapter: SqliteAdapter = Object.defineProperties(new SqliteAdapter(), {
      supportsTransactionalDdl: { value: true },
      supportsMultipleConnections: { value: true },
    });
    keepDamage(adapter, this.#damage);
    return adapter;
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new SteadyCompiler();
  }
}

/**
 * Waits for other processes itself: SQLite would wait in the thread, and nobody would be answered meanwhile. Who waits
 * for the connection behind others that wait does so in the same time.
 */
class PatientDriver extends SqliteDriver {
  readonly #damage: Damage;
  /** Over when all who have asked for the connection have given it back. */
  #last: Promise<void> = Promise.resolve();
  #giveBack = (): void => {};

  constructor(config: SqliteDialectConfig, damage: Damage) {
    super(config);
    this.#damage = damage;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const deadline = performance.now() + PATIENCE_MS;
    const before = this.#last;
    let giveBack = (): void => {};
    this.#last = new Promise((resolve) => {
      giveBack = resolve;
    });
    await before;
    this.#giveBack = giveBack;
    const connection = await super.acquireConnection();
    const judge = (fault: unknown): never => {
      throw toStorageFault(fault, this.#damage);
    };
    return {
      executeQuery: <R>(query: CompiledQuery) =>
        untilFree(deadline, () => connection.executeQuery<R>(query)).catch(judge),
      streamQuery: (...all) => connection.streamQuery(...all),
    };
  }

  override async releaseConnection(): Promise<void> {
    this.#giveBack();
  }

  /**
   * One that writes begins IMMEDIATE: if it read first and took the lock later, it would fail with SQLITE_BUSY when
   * another process wrote in between.
   */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? READ_BEGIN : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }
}

async function untilFree<T>(deadline: number, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > deadline) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

/**
 * SQLite looks at the values of bare parameters when it plans a join or a limit, and prepares such a statement anew at
 * each use, since better-sqlite3 clears its bindings after each. That takes up to fifty times as long as the use
 * itself. A plus, which changes no value, keeps the values out of the plan (decision 0144).
 */
class SteadyCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

/** Opens and migrates `sqlite:<path>` or `sqlite::memory:`. */
export async function openSqlite(url: string): Promise<Kysely<Tables>> {
  const damage = createDamage();
  let connection: Sqlite.Database;
  try {
    connection = openConnection(url);
    connection.pragma('busy_timeout = 0');
  } catch (fault) {
    throw toStorageFault(fault, damage);
  }
  const db = new Kysely<Tables>({
    dialect: new Dialect({ database: withStatementCache(connection) }, damage),
  });
  await migrate(db as unknown as Kysely<never>, SQLITE_MIGRATIONS);
  await noteRowChanges(db);
  return db;
}

/**
 * better-sqlite3 drops WAL to `synchronous=NORMAL` unless told otherwise, and a power cut then loses
 * acknowledged writes. FULL is therefore said here, for all connections.
 */
export function openConnection(url: string): Sqlite.Database {
  if (!url.startsWith('sqlite:')) throw new Error(`Unsupported database: ${url.split(':', 1)[0]}:`);
  // With an older one better-sqlite3 does not fail, it ends the process.
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
 * A new file is its owner's alone: hashes of passwords and the addresses of people are in it. SQLite gives the files
 * beside it the same rights. One that is there keeps its own.
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It is there, or SQLite says why it cannot be.
  }
}

/** Keeps prepared statements. */
function withStatementCache(connection: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  const requirePlace = createPlaceGuard(connection);
  return {
    close: () => void connection.close(),
    prepare(text) {
      const known = statements.get(text);
      if (known !== undefined) return known;
      if (statements.size >= STATEMENT_CACHE_SIZE) statements.clear();
      const statement = text === 'rollback' ? rollback(connection) : prepare(connection, text, requirePlace);
      statements.set(text, statement);
      return statement;
    },
  };
}

/**
 * Throws when the file is gone from its place, or another one is there: SQLite would go on writing to the one that it
 * has open, which nobody will open again.
 */
function createPlaceGuard({ name, memory }: Sqlite.Database): () => void {
  if (memory) return () => {};
  const path = resolve(name);
  const find = (): string | undefined => {
    try {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      return found && `${found.dev} ${found.ino}`;
    } catch (cause) {
      throw new DatabaseUnavailable(`${path} cannot be looked at`, { cause });
    }
  };
  const opened = find();
  return () => {
    if (find() !== opened) throw new DatabaseUnavailable(`${path} is not the file that was opened any more`);
  };
}

/** What stores texts looks at them first, and what begins to write at the place where the file should be. */
function prepare(
  connection: Sqlite.Database,
  text: string,
  requirePlace: () => void,
): ReturnType<SqliteDatabase['prepare']> {
  const statement: ReturnType<SqliteDatabase['prepare']> = connection.prepare(text);
  if (isRead(text) || text === READ_BEGIN) return statement;
  const checked = <Result>(act: (parameters: readonly unknown[]) => Result) => {
    return (parameters: readonly unknown[]): Result => {
      requireStorable(parameters);
      if (!connection.inTransaction) requirePlace();
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
 * A disk that is full or fails makes SQLite take the transaction back by itself. Taking it back once more would be an
 * error of its own, and hide the one that says what has happened.
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
