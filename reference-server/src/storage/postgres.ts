import {
  type Driver,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresQueryCompiler,
  type RawNode,
  sql,
} from 'kysely';
import pg from 'pg';
import { type Activity, createActivity, keepActivity } from './activity.ts';
import { createDamage, keepDamage } from './damage.ts';
import {
  CHECK_TIMEOUT_MS,
  createDeadConnectionDetector,
  WatchedClient,
  withTimeout,
} from './dead-connection-detector.ts';
import { PATIENCE_MS, PostgresEngine } from './engine.ts';
import { LONG_READ_MAX_MS } from './long-reads.ts';
import { observeDriver } from './observed-driver.ts';
import { guardPool } from './postgres-faults.ts';
import { createListener } from './postgres-listener.ts';
import { postgresVariant } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const CONNECTIONS_MAX = 10;
/** Further connections of a node, for long reads. */
const READERS_MAX = 3;
/** How long a connection may be silent before TCP probes it. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** How long a node that vanished inside a transaction can block the writes of others. */
const IDLE_IN_TRANSACTION_MS = 60_000;

class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw(postgresVariant(node));
  }
}

class Dialect extends PostgresDialect {
  readonly #engine: PostgresEngine;
  readonly #activity: Activity;

  constructor(
    config: PostgresDialectConfig,
    { engine, activity }: { readonly engine: PostgresEngine; readonly activity: Activity },
  ) {
    super(config);
    this.#engine = engine;
    this.#activity = activity;
  }

  override createDriver(): Driver {
    return observeDriver(super.createDriver(), this.#activity);
  }

  override createAdapter(): PostgresEngine {
    return this.#engine;
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return new Compiler();
  }
}

/** Connections for the long reads of an open database. */
export function openPostgresReader(url: string): Kysely<Tables> {
  const onConnect = async (client: pg.ClientBase): Promise<void> => {
    // Parallel workers would take the processors of the database from the requests.
    await client.query(withTimeout("select set_config('max_parallel_workers_per_gather', '0', false)"));
  };
  return connectPostgres(url, () => {}, {
    max: READERS_MAX,
    statement_timeout: LONG_READ_MAX_MS,
    onConnect,
  });
}

/** The database `postgres://…` as it is: nothing is migrated. The first query connects. */
export function connectPostgres(
  url: string,
  onWait: () => void = () => {},
  more: pg.PoolConfig = {},
): Kysely<Tables> {
  const config: pg.PoolConfig = {
    connectionString: url,
    application_name: 'flagsvc',
    connectionTimeoutMillis: PATIENCE_MS,
    lock_timeout: PATIENCE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: { getTypeParser },
    ...more,
  };
  const onConnect = async (client: pg.ClientBase): Promise<void> => {
    await (client as WatchedClient).readBackendPid();
    await commitDurably(client);
    await more.onConnect?.(client);
  };
  const pool = new pg.Pool({ ...config, Client: WatchedClient, max: more.max ?? CONNECTIONS_MAX, onConnect });
  // An idle connection broke. The next query opens another one; if that fails, the query reports it.
  pool.on('error', () => {});
  const listen = createListener(() => new WatchedClient({ ...config, query_timeout: PATIENCE_MS }));
  const engine = new PostgresEngine(listen, onWait);
  const damage = createDamage();
  keepDamage(engine, damage);
  const activity = createActivity();
  keepActivity(engine, activity);
  const watch = createDeadConnectionDetector(
    () => new WatchedClient({ ...config, connectionTimeoutMillis: CHECK_TIMEOUT_MS }),
  );
  const db = new Kysely<Tables>({
    dialect: new Dialect({ pool: guardPool(pool, { watch, damage }) }, { engine, activity }),
  });
  activity.readState = async () => ({
    sizeBytes: await readSize(db),
    walBytes: undefined,
    idle: pool.idleCount,
  });
  return db;
}

/**
 * Turns `synchronous_commit` on if it is off, so that an acknowledged commit is on disk. Other values, which concern
 * standbys, are kept. Sends a statement, because poolers may refuse a connection parameter.
 */
async function commitDurably(client: pg.ClientBase): Promise<void> {
  const isOff = "current_setting('synchronous_commit') = 'off'";
  await client.query(withTimeout(`select set_config('synchronous_commit', 'on', false) where ${isOff}`));
}

/** Throws when the server is out of reach or the database's encoding is not UTF-8. */
export async function requireUtf8(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db);
  const { server_encoding: encoding } = rows[0]!;
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, and it must be UTF8`);
}

async function readSize(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    db,
  );
  return rows[0]!.bytes;
}

const { BOOL, INT8, NUMERIC } = pg.types.builtins;

/** Returns what SQLite returns: numbers for counts and sums, 0 or 1 for booleans. */
const getTypeParser = ((oid: number, format?: 'text') => {
  if (oid === INT8 || oid === NUMERIC) return Number;
  if (oid === BOOL) return (text: string) => (text === 't' ? 1 : 0);
  return pg.types.getTypeParser(oid, format);
}) as typeof pg.types.getTypeParser;
