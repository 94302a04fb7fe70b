import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backUp } from '../../src/operator/backup/backup.ts';
import { listTables } from '../../src/operator/tables/sqlite-tables.ts';
import { openConnection } from '../../src/storage/sqlite.ts';
import { findLostRows, readRows } from '../upgrades/rows.ts';
import { type FilledInstallation, newInstallation, refusalOf } from './installation.ts';

let installation: FilledInstallation;
let target: string;
beforeEach(async () => {
  installation = await newInstallation();
  target = join(installation.folder, 'backups');
});
afterEach(() => installation.remove());

const run = (to: string = target, more: { keep?: number } = {}) =>
  backUp(installation.context, { target: to, ...more });
const refusal = (to: string, more: { keep?: number } = {}) => refusalOf(run(to, more));
const filesIn = (folder: string): string[] => readdirSync(folder).sort();

test('writes a copy of every row, with a manifest, that only this user can read', async () => {
  const before = await readRows(installation.context.databaseUrl);
  const { result, lines } = await run();
  const { backup, bytes, tables } = result as { backup: string; bytes: number; tables: object };
  expect(filesIn(target)).toEqual([
    'flagsvc-20261123T100001.000Z.db',
    'flagsvc-20261123T100001.000Z.db.manifest.json',
    'flagsvc-20261123T100001.000Z.events.db',
  ]);
  expect(findLostRows(before, await readRows(`sqlite:${backup}`))).toEqual({});
  expect(statSync(backup)).toMatchObject({ size: bytes });
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(statSync(target).mode & 0o777).toBe(0o700);
  expect(tables).toMatchObject({ users: before['users']!.length, flags: before['flags']!.length });
  expect(lines.join('\n')).toContain(
    'The backup does not contain FLAGSVC_JWT_SECRET_KEY and FLAGSVC_API_SECRET_KEY',
  );
  const manifest = readFileSync(`${backup}.manifest.json`, 'utf8');
  expect(manifest).not.toContain(installation.context.apiSecretKey);
});

test('contains the commits that are still in the WAL of another connection', async () => {
  const writer = openConnection(installation.context.databaseUrl);
  writer.exec(`update organizations set name = 'In the WAL'`);
  const { result } = await run();
  const copy = new Sqlite((result as { backup: string }).backup, { readonly: true });
  expect(copy.prepare('select name from organizations').pluck().get()).toBe('In the WAL');
  copy.close();
  // The backup neither blocks the writer nor ends its transaction.
  writer.exec(`update organizations set name = 'After'`);
  writer.close();
});

test('writes to a named file', async () => {
  const file = join(target, `it's a "backup".db`);
  const { result } = await run(file);
  expect(result).toMatchObject({ backup: file });
  expect(filesIn(target)).toEqual([
    `it's a "backup".db`,
    `it's a "backup".db.manifest.json`,
    `it's a "backup".events.db`,
  ]);
});

test('writes the events to a file of their own, and says what it contains', async () => {
  const before = await readRows(`sqlite:${installation.events}`);
  const { result, lines } = await run();
  const { events } = result as { events: { backup: string; bytes: number; tables: Record<string, number> } };
  expect(findLostRows(before, await readRows(`sqlite:${events.backup}`))).toEqual({});
  expect(statSync(events.backup)).toMatchObject({ size: events.bytes });
  expect(statSync(events.backup).mode & 0o777).toBe(0o600);
  expect(events.tables).toMatchObject({
    counters_hourly: before['counters_hourly']!.length,
    exposures_by_day: before['exposures_by_day']!.length,
  });
  expect(before['exposures_by_day']!.length).toBeGreaterThan(0);
  expect(lines[1]).toMatch(/\.events\.db contains the events: \d+ rows in \d tables/);
});

test('works without a file of events, and says where events on PostgreSQL are', async () => {
  rmSync(installation.events);
  expect((await run()).result).toMatchObject({ events: null });
  const eventsUrl = 'postgres://flagsvc:hunter2@db/events';
  const { lines } = await backUp({ ...installation.context, eventsUrl }, { target });
  expect(lines[1]).toBe(
    'The events are in postgres://flagsvc@db/events. Back that database up with pg_dump.',
  );
});

test('makes no backup of damaged events', async () => {
  truncateSync(installation.events, 8_192);
  expect(await refusal(target)).toContain('the database is damaged. Run "flagsvc-server check"');
  expect(filesIn(target)).toEqual([]);
});

describe('never overwrites', () => {
  test('an earlier backup', async () => {
    const file = join(target, 'mine.db');
    await run(file);
    const before = readFileSync(file);
    expect(await refusal(file)).toMatch(/mine\.db exists.*never overwritten/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a file that is not a backup, a symbolic link, or the database itself', async () => {
    mkdirSync(target);
    const file = join(target, 'notes.db');
    writeFileSync(file, 'notes');
    expect(await refusal(file)).toContain('exists without a manifest');
    symlinkSync(join(installation.folder, 'elsewhere.db'), join(target, 'link.db'));
    expect(await refusal(join(target, 'link.db'))).toContain('exists');
    expect(await refusal(installation.file)).toContain('exists');
    expect(readFileSync(file, 'utf8')).toBe('notes');
    expect(existsSync(join(installation.folder, 'elsewhere.db'))).toBe(false);
    expect(filesIn(target)).toEqual(['link.db', 'notes.db']);
  });
});

describe('--keep', () => {
  test('deletes the oldest backups of this installation, and nothing that it does not know', async () => {
    await run();
    const [first] = filesIn(target);
    const strangers = [
      'notes.txt',
      'flagsvc-20200101T000000.000Z.db',
      'flagsvc-20200101T000000.000Z.db.manifest.json',
    ];
    for (const name of strangers) writeFileSync(join(target, name), '{}');
    for (let count = 0; count < 3; count++) await run();
    const { result } = await run(target, { keep: 3 });
    expect((result as { deleted: string[] }).deleted).toHaveLength(2);
    const left = filesIn(target).filter((name) => !strangers.includes(name));
    expect(left).toHaveLength(9);
    expect(left).not.toContain(first);
    expect(filesIn(target)).toEqual(expect.arrayContaining(strangers));
  });

  test('keeps the backups of another installation', async () => {
    await run();
    const other = new Sqlite(installation.file);
    other.pragma('foreign_keys = off');
    other.exec(`update organizations set id = 'org_other'`);
    for (const { name } of listTables(other).filter(({ columns }) => columns.includes('organization_id'))) {
      other.exec(`update ${name} set organization_id = 'org_other'`);
    }
    other.close();
    await run(target, { keep: 1 });
    await run(target, { keep: 1 });
    expect(filesIn(target)).toHaveLength(6);
  });

  test('finishes a deletion that was interrupted between a backup and its manifest', async () => {
    await run();
    const [first, manifest] = filesIn(target);
    truncateSync(join(target, first!));
    await run(target, { keep: 1 });
    expect(filesIn(target)).not.toContain(manifest);
    expect(filesIn(target)).toHaveLength(3);
  });

  test('needs a folder', async () => {
    expect(await refusal(join(target, 'one.db'), { keep: 3 })).toContain('--keep needs a folder');
  });
});

test.each([
  ['an empty name', '', 'is empty'],
  ['a control character', '/tmp/a\0b', 'control character'],
  ['a line break', '/tmp/a\nb.db', 'control character'],
  ['another scheme', 'https://example.com/backups', '"https://" is not supported'],
  ['a bucket without a name', 's3://', 'is not valid'],
  ['a bucket with capitals', 's3://Bucket/a', 'is not valid'],
  ['a bucket name with a slash too many', 's3://bucket//a', 'is not valid'],
  ['a key that leaves its prefix', 's3://bucket/../a.db', 'is not valid'],
  ['a query', 's3://bucket/a?acl', 'is not valid'],
  ['a bucket without credentials', 's3://bucket/a', 'AWS_ACCESS_KEY_ID is required'],
])('refuses %s', async (_, to, reason) => {
  expect(await refusal(to)).toContain(reason);
});

test('refuses a path through a file, and a file as a folder', async () => {
  const file = join(installation.folder, 'file');
  writeFileSync(file, '');
  expect(await refusal(join(file, 'backups'))).toContain('is not a folder');
  expect(await refusal(file)).toContain('is not a folder');
  expect(await refusal('/proc/flagsvc')).toMatch(/failed|does not exist/);
});

test('refuses to copy a damaged database, a foreign one, and one in memory', async () => {
  truncateSync(installation.file, 100_000);
  expect(await refusal(target)).toMatch(/damaged/);
  expect(filesIn(target)).toEqual([]);

  const foreign = join(installation.folder, 'foreign.db');
  const connection = new Sqlite(foreign);
  connection.exec('create table notes (text text)');
  connection.close();
  const { context } = installation;
  const from = (databaseUrl: string) => refusalOf(backUp({ ...context, databaseUrl }, { target }));
  expect(await from(`sqlite:${foreign}`)).toContain('does not contain the tables of flagsvc');
  expect(await from('sqlite::memory:')).toContain('in memory');
  expect(await from(`sqlite:${foreign}.gone`)).toContain('does not exist');
  expect(filesIn(target)).toEqual([]);
});

test('refuses secrets that are not those of the database, because they would be needed to restore', async () => {
  const context = { ...installation.context, apiSecretKey: 'another'.repeat(5) };
  expect(await refusalOf(backUp(context, { target }))).toMatch(
    /^No backup was made: FLAGSVC_API_SECRET_KEY is not the one/,
  );
  expect(filesIn(target)).toEqual([]);
});

test('says on PostgreSQL which commands to use', async () => {
  const databaseUrl = 'postgres://flagsvc:hunter2@db/flags';
  const message = await refusalOf(backUp({ ...installation.context, databaseUrl }, { target }));
  expect(message).toContain('pg_dump --enable-row-security --format=custom');
  expect(message).not.toContain('hunter2');
});

test('deletes what an interrupted backup left behind, and leaves the files of running ones', async () => {
  mkdirSync(target);
  const machine = hostname().replaceAll(/[^\w-]/g, '-');
  // Process ids end below this number.
  const abandoned = `.flagsvc-1.db.${machine}.99999999.partial`;
  const running = `.flagsvc-2.db.${machine}.1.partial`;
  const elsewhere = '.flagsvc-3.db.another-machine.99999999.partial';
  for (const name of [abandoned, `${abandoned}-journal`, running, elsewhere])
    writeFileSync(join(target, name), '');
  await run();
  expect(filesIn(target)).toHaveLength(5);
  expect(filesIn(target)).toEqual(expect.arrayContaining([running, elsewhere]));
  expect(installation.notes).toEqual([
    'An earlier command was interrupted while it wrote flagsvc-1.db; its incomplete file has been deleted.',
  ]);
});
