import {
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresQueryCompiler,
  type RawNode,
  sql,
} from 'kysely';
import pg from 'pg';
import { createDamage, keepDamage } from './damage.ts';
import { createWatch, LOOK_LIMIT_MS, limited, noteBackend } from './dead-connection-detector.ts';
import { postgresWords } from './dialect.ts';
import { PATIENCE_MS, PostgresEngine } from './engine.ts';
import { migrate, POSTGRES_MIGRATIONS } from './migrations.ts';
import { guardPool } from './postgres-faults.ts';
import { createListener } from './postgres-listener.ts';
import type { Tables } from './tables.ts';

const CONNECTIONS_MAX = 10;
/** Of a connection that nobody uses it is asked after so long whether it is there still. */
const QUIET_MS = 10_000;
/** A node that has vanished in the middle of a transaction keeps the others from writing for so long. */
const IDLE_IN_TRANSACTION_MS = 60_000;

class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw(postgresWords(node));
  }
}

class Dialect extends PostgresDialect {
  readonly #engine: PostgresEngine;

  constructor(config: PostgresDialectConfig, engine: PostgresEngine) {
    super(config);
    this.#engine = engine;
  }

  override createAdapter(): PostgresEngine {
    return this.#engine;
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return new Compiler();
  }
}

/** Opens and migrates `postgres://…`. Throws when it cannot be reached, or keeps text in anything but UTF-8. */
export async function openPostgres(url: string, onWait: () => void): Promise<Kysely<Tables>> {
  const config: pg.PoolConfig = {
    connectionString: url,
    application_name: 'flagsvc',
    connectionTimeoutMillis: PATIENCE_MS,
    lock_timeout: PATIENCE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET_MS,
    types: { getTypeParser },
  };
  const onConnect = async (client: pg.ClientBase): Promise<void> => {
    await noteBackend(client);
    await commitDurably(client);
  };
  const pool = new pg.Pool({ ...config, max: CONNECTIONS_MAX, onConnect });
  // Of a connection that nobody uses: the next use opens another one, and hears of it if that fails too.
  pool.on('error', () => {});
  const listen = createListener(() => new pg.Client({ ...config, query_timeout: PATIENCE_MS }));
  const engine = new PostgresEngine(listen, onWait);
  const damage = createDamage();
  keepDamage(engine, damage);
  const watch = createWatch(() => new pg.Client({ ...config, connectionTimeoutMillis: LOOK_LIMIT_MS }));
  const db = new Kysely<Tables>({
    dialect: new Dialect({ pool: guardPool(pool, { watch, damage }) }, engine),
  });
  try {
    await requireUtf8(db);
    await migrate(db as unknown as Kysely<never>, POSTGRES_MIGRATIONS);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/**
 * What is acknowledged is on disk. Not by a parameter of the connection, which poolers may refuse; and what is neither
 * on nor off says what standbys have to have, and stays.
 */
async function commitDurably(client: pg.ClientBase): Promise<void> {
  const isOff = "current_setting('synchronous_commit') = 'off'";
  await client.query(limited(`select set_config('synchronous_commit', 'on', false) where ${isOff}`));
}

async function requireUtf8(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db);
  const { server_encoding: encoding } = rows[0]!;
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, and it must be UTF8`);
}

const { BOOL, INT8, NUMERIC } = pg.types.builtins;

/** What SQLite gives: numbers for counts and sums, 0 or 1 for what is asked with yes or no. */
const getTypeParser = ((oid: number, format?: 'text') => {
  if (oid === INT8 || oid === NUMERIC) return Number;
  if (oid === BOOL) return (text: string) => (text === 't' ? 1 : 0);
  return pg.types.getTypeParser(oid, format);
}) as typeof pg.types.getTypeParser;
