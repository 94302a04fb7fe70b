import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open-database.ts';

/** Whether the tests run on PostgreSQL: `FLAGSVC_TEST_DATABASE`, which vitest.config.ts sets. */
export const isOnPostgres = process.env['FLAGSVC_TEST_DATABASE'] === 'postgres';
/** The environment variable with the address of the server that postgres-setup.ts starts. */
export const POSTGRES_VARIABLE = 'FLAGSVC_TEST_POSTGRES_URL';
/** The database that each test's database is copied from: all tables, no rows. */
export const TEMPLATE = 'template_flagsvc';
/** The role that the server uses. It is not a superuser, because row policies do not apply to superusers. */
export const ROLE = 'flagsvc';

/** A folder in memory, where a commit never waits for the disk; undefined if this machine has none. */
export const FOLDER_IN_MEMORY = existsSync('/dev/shm') ? '/dev/shm' : undefined;

/** An empty database that several servers can open. */
export interface SharedDatabase {
  readonly url: string;
  /** Deletes the database. Every connection must be closed. */
  remove(): Promise<void>;
}

/** Chooses a new SQLite file, or creates a PostgreSQL database with all tables. */
export async function newDatabase(): Promise<SharedDatabase> {
  return isOnPostgres ? newPostgresDatabase(TEMPLATE) : newFile();
}

/** Creates a database without tables, for tests of migrations. */
export async function newEmptyDatabase(): Promise<SharedDatabase> {
  return isOnPostgres ? newPostgresDatabase('template0') : newFile();
}

function newFile(): SharedDatabase {
  const folder = mkdtempSync(join(FOLDER_IN_MEMORY ?? tmpdir(), 'flagsvc-test-'));
  return {
    url: `sqlite:${join(folder, 'flags.db')}`,
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

/** Opens a database without rows; on SQLite, in memory. `destroy` closes and deletes it. */
export async function openTestDatabase(): Promise<Database> {
  if (!isOnPostgres) return openDatabase('sqlite::memory:');
  const { url, remove } = await newPostgresDatabase(TEMPLATE);
  const db = await openDatabase(url);
  const destroy = db.destroy.bind(db);
  return Object.assign(db, { destroy: () => destroy().then(remove) });
}

let count = 0;

async function newPostgresDatabase(template: string): Promise<SharedDatabase> {
  const name = `test_${process.pid}_${++count}`;
  const server = process.env[POSTGRES_VARIABLE]!;
  await ask(server, `create database ${name} template ${template} owner ${ROLE}`);
  return {
    url: databaseUrl(server, name, ROLE),
    remove: () => ask(server, `drop database if exists ${name} with (force)`),
  };
}

/** Makes a database refuse writes, or accept them again. */
export async function setReadOnly(db: Database, isOn: boolean): Promise<void> {
  if (!isOnPostgres) return void (await sql.raw(`pragma query_only = ${isOn}`).execute(db));
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const { name } = rows[0]!;
  const server = process.env[POSTGRES_VARIABLE]!;
  await ask(server, `alter database ${name} set default_transaction_read_only = ${isOn}`);
  // The setting applies to new connections only.
  await ask(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await setTimeout(100);
}

/** Creates the template database and the role that owns all databases. */
export async function makeTemplate(server: string): Promise<void> {
  await ask(server, `create role ${ROLE} login`);
  await ask(server, `create database ${TEMPLATE} owner ${ROLE}`);
  await (await openDatabase(databaseUrl(server, TEMPLATE, ROLE))).destroy();
}

/** The URL of another database on the same server, with a role. */
export function databaseUrl(server: string, name: string, role = 'postgres'): string {
  return Object.assign(new URL(`/${name}`, server), { username: role }).href;
}

/** Executes one statement on a separate connection. */
export async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
