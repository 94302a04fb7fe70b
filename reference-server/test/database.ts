import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open-database.ts';

/** Which engine the tests run on: `FLAGSVC_TEST_DATABASE`, which vitest.config.ts sets. */
export const isOnPostgres = process.env['FLAGSVC_TEST_DATABASE'] === 'postgres';
/** Set by postgres-setup.ts, whose server it is. */
export const POSTGRES_VARIABLE = 'FLAGSVC_TEST_POSTGRES_URL';
/** A database with all tables and no rows, which others are copies of. */
export const TEMPLATE = 'template_flagsvc';
/** The role that the server uses, since no policy holds a superuser. */
export const ROLE = 'flagsvc';

/** An empty database that several may open. */
export interface SharedDatabase {
  readonly url: string;
  /** When everybody has closed it. */
  remove(): Promise<void>;
}

/** A file, or a database of PostgreSQL with all tables. */
export async function newDatabase(): Promise<SharedDatabase> {
  return isOnPostgres ? newPostgresDatabase(TEMPLATE) : newFile();
}

/** The same without tables, for tests of migrations. */
export async function newEmptyDatabase(): Promise<SharedDatabase> {
  return isOnPostgres ? newPostgresDatabase('template0') : newFile();
}

function newFile(): SharedDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-test-'));
  return {
    url: `sqlite:${join(folder, 'flags.db')}`,
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

/** A database of its own, which is gone when it is destroyed; SQLite's is in memory. */
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

/** Whether the database takes writes. */
export async function setReadOnly(db: Database, isOn: boolean): Promise<void> {
  if (!isOnPostgres) return void (await sql.raw(`pragma query_only = ${isOn}`).execute(db));
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const { name } = rows[0]!;
  const server = process.env[POSTGRES_VARIABLE]!;
  await ask(server, `alter database ${name} set default_transaction_read_only = ${isOn}`);
  // Connections have it from their beginning on.
  await ask(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await setTimeout(100);
}

/** Makes the database that others are copies of, and the role that owns them. */
export async function makeTemplate(server: string): Promise<void> {
  await ask(server, `create role ${ROLE} login`);
  await ask(server, `create database ${TEMPLATE} owner ${ROLE}`);
  await (await openDatabase(databaseUrl(server, TEMPLATE, ROLE))).destroy();
}

/** Another database of the same server, as a role. */
export function databaseUrl(server: string, name: string, role = 'postgres'): string {
  return Object.assign(new URL(`/${name}`, server), { username: role }).href;
}

/** One statement, on a connection of its own. */
export async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
