import {
  chmodSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import type { Database } from './database.ts';
import { createIds } from './ids.ts';
import { openDatabase } from './open-database.ts';
import { createPing } from './ping.ts';
import { openConnection } from './sqlite.ts';
import { readConsistently } from './transactions.ts';

const directory = mkdtempSync(join(tmpdir(), 'flagsvc-database-'));
const folder = join(directory, 'deep');
const path = `sqlite:${join(folder, 'flags.db')}`;
const open: Database[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.destroy();
  rmSync(directory, { recursive: true, force: true });
});

async function database(url = path): Promise<Database> {
  const db = await openDatabase(url);
  open.push(db);
  return db;
}

async function pragma(db: Database, name: string): Promise<unknown> {
  const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(db);
  return Object.values(rows[0]!)[0];
}

const organization = (id: string) => ({
  id,
  name: id,
  slug: id,
  plan: 'oss',
  status: 'active',
  settings_json: '{}',
  revision: 1,
  created_at: 'now',
  updated_at: 'now',
});

test('keeps synchronous = FULL after a write, although the default of better-sqlite3 is NORMAL', async () => {
  const db = await database();
  await db.insertInto('organizations').values(organization('a')).execute();
  expect(await pragma(db, 'journal_mode')).toBe('wal');
  expect(await pragma(db, 'synchronous')).toBe(2);
  expect(await pragma(db, 'foreign_keys')).toBe(1);
});

test('rolls back a migration that fails', async () => {
  const connection = openConnection(path);
  // The first migration fails at this table, after it has created others.
  connection.exec('create table audit_entries (id text) strict');
  connection.close();
  await expect(openDatabase(path)).rejects.toThrow(/audit_entries/);
  const again = openConnection(path);
  const tables = again
    .prepare("select name from sqlite_master where type = 'table' and name not like 'kysely%'")
    .pluck()
    .all();
  again.close();
  expect(tables).toEqual(['audit_entries']);
});

test('keeps its rows when it is opened again', async () => {
  const db = await database();
  await db.insertInto('organizations').values(organization('a')).execute();
  const again = await database();
  expect(await again.selectFrom('organizations').select('id').execute()).toEqual([{ id: 'a' }]);
});

test('has strict tables only', async () => {
  const db = await database('sqlite::memory:');
  const { rows } = await sql<{ name: string; strict: number }>`
    select name, strict from pragma_table_list where schema = 'main' and type = 'table'
    and name not like 'sqlite_%' and name not like 'kysely_%'`.execute(db);
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => row.strict === 0)).toEqual([]);
});

test('takes the write lock when a transaction begins', async () => {
  const db = await database();
  const other = openConnection(path);
  other.pragma('busy_timeout = 0');
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('organizations').select('id').execute();
    expect(() => other.exec('begin immediate')).toThrow(/locked/);
  });
  other.exec('begin immediate');
  other.close();
});

test('waits up to five seconds for the write lock of another process, and serves reads meanwhile', async () => {
  const db = await database();
  const other = openConnection(path);
  const write = (id: string) => db.insertInto('organizations').values(organization(id)).execute();
  other.exec('begin immediate');
  const writing = write('a');
  const started = performance.now();
  await setTimeout(50);
  expect(performance.now() - started).toBeLessThan(2_000);
  other.exec('commit');
  await writing;
  other.exec('begin immediate');
  const waiting = performance.now();
  const all = [write('b'), db.transaction().execute(() => write('c')), write('d')];
  const refused = all.map((one) => expect(one).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' }));
  expect(await db.selectFrom('organizations').select('id').execute()).toEqual([{ id: 'a' }]);
  // The read was served between two attempts of the writes, not after them.
  expect(performance.now() - waiting).toBeLessThan(2_000);
  await Promise.all(refused);
  // The three writes wait at the same time, not one after another.
  expect(performance.now() - waiting).toBeLessThan(7_000);
  other.exec('commit');
  await write('e');
  other.close();
});

test('reads a consistent state while another process writes, and after its file was moved', async () => {
  const db = await database();
  const other = openConnection(path);
  other.exec('begin immediate');
  const read = () => readConsistently(db, (tx) => tx.selectFrom('organizations').select('id').execute());
  const started = performance.now();
  expect(await read()).toEqual([]);
  expect(performance.now() - started).toBeLessThan(2_000);
  other.close();
  const file = path.slice('sqlite:'.length);
  renameSync(file, `${file}.away`);
  expect(await read()).toEqual([]);
});

test('shows readers nothing of an open transaction', async () => {
  const db = await database('sqlite::memory:');
  const seen: unknown[] = [];
  const writing = db.transaction().execute(async (tx) => {
    await tx.insertInto('organizations').values(organization('a')).execute();
    seen.push('written');
    await tx.insertInto('organizations').values(organization('b')).execute();
  });
  const reading = db
    .selectFrom('organizations')
    .select('id')
    .execute()
    .then((rows) => seen.push(rows.length));
  await Promise.all([writing, reading]);
  expect([
    [0, 'written'],
    ['written', 2],
  ]).toContainEqual(seen);
});

test('refuses writes while its file is moved or replaced, because they would be lost', async () => {
  const db = await database();
  const file = path.slice('sqlite:'.length);
  const ping = createPing(db);
  const write = (id: string) => db.insertInto('organizations').values(organization(id)).execute();
  const unavailable = { code: 'DATABASE_UNAVAILABLE' };
  renameSync(file, `${file}.away`);
  await expect(write('a')).rejects.toMatchObject(unavailable);
  writeFileSync(file, '');
  await expect(db.transaction().execute(async () => {})).rejects.toMatchObject(unavailable);
  await expect(ping()).rejects.toMatchObject(unavailable);
  expect(await db.selectFrom('organizations').select('id').execute()).toEqual([]);
  renameSync(`${file}.away`, file);
  await ping();
  await write('a');
});

test('refuses writes while the path of its file cannot be resolved', async () => {
  const db = await database();
  const write = (id: string) => db.insertInto('organizations').values(organization(id)).execute();
  renameSync(folder, `${folder}.away`);
  symlinkSync(folder, folder);
  try {
    await expect(write('a')).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      cause: { code: 'ELOOP' },
    });
  } finally {
    unlinkSync(folder);
    renameSync(`${folder}.away`, folder);
  }
  await write('a');
});

test('creates a file that only its owner can read, and keeps the mode of an existing one', async () => {
  const file = path.slice('sqlite:'.length);
  const modes = () => ['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777);
  const db = await database();
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
  await db.destroy();
  chmodSync(file, 0o640);
  await database();
  expect(modes()).toEqual([0o640, 0o640, 0o640]);
});

test('refuses database URLs with other schemes', async () => {
  await expect(openDatabase('mysql://secret@host/db')).rejects.toThrow(/^Unsupported database: mysql:$/);
});

test('makes ids that sort by time, also within a millisecond', () => {
  const newId = createIds(() => 1_700_000_000_000);
  const ids = Array.from({ length: 100 }, () => newId('flg'));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(100);
  expect(ids[0]).toMatch(/^flg_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('refuses a version of Node on which SQLite would crash', () => {
  const { versions } = process;
  Object.defineProperty(process, 'versions', { value: { ...versions, napi: '9' }, configurable: true });
  try {
    expect(() => openConnection('sqlite::memory:')).toThrow(
      `SQLite needs Node.js 22.14 or newer; this is ${process.version}`,
    );
  } finally {
    Object.defineProperty(process, 'versions', { value: versions, configurable: true });
  }
});

/**
 * How often ten calls prepare a statement. For each preparation, better-sqlite3 creates a function, and this counts
 * them.
 */
async function countPrepares(act: () => unknown): Promise<number> {
  const made = vi.spyOn(globalThis, 'Function');
  try {
    for (let time = 0; time < 10; time++) await act();
    return made.mock.calls.length;
  } finally {
    made.mockRestore();
  }
}

test('prepares a join only once', async () => {
  const db = await database();
  await db.insertInto('organizations').values(organization('org_1')).execute();
  const join = db
    .selectFrom('organizations as one')
    .innerJoin('organizations as other', 'other.id', 'one.id')
    .selectAll('one')
    .where('one.id', '=', 'org_1')
    .where('other.slug', '=', 'org_1')
    .limit(1);
  expect(await countPrepares(() => join.execute())).toBe(1);
  // With bare parameters, each call prepares the statement again. If this ever changes, `+?` can become `?` again.
  const { sql: text, parameters } = join.compile();
  const connection = openConnection(path);
  const bare = connection.prepare(text.replaceAll('+?', '?'));
  expect(await countPrepares(() => bare.all(parameters))).toBe(10);
  connection.close();
});
