import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backUp } from '../../src/operator/backup/backup.ts';
import { restore } from '../../src/operator/restore/restore.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { openConnection } from '../../src/storage/sqlite.ts';
import { findLostRows, type Rows, readRows } from '../upgrades/rows.ts';
import { type FilledInstallation, newInstallation, refusalOf } from './installation.ts';

let installation: FilledInstallation;
let target: string;
let backup: string;
let rows: Rows;
beforeEach(async () => {
  installation = await newInstallation();
  target = join(installation.folder, 'backups');
  rows = await readRows(installation.context.databaseUrl);
  const { result } = await backUp(installation.context, { target });
  backup = (result as { backup: string }).backup;
});
afterEach(() => installation.remove());

interface Options {
  readonly source?: string;
  readonly replace?: boolean;
  readonly withoutManifest?: boolean;
}
const run = ({ source = backup, replace = true, withoutManifest = false }: Options = {}, more: object = {}) =>
  restore({ ...installation.context, ...more }, { source, replace, withoutManifest });
const refusal = (options: Options = {}, more: object = {}) => refusalOf(run(options, more));

/** Changes the database after the backup. */
function change(statement = `update organizations set name = 'Later'`): void {
  const connection = openConnection(installation.context.databaseUrl);
  connection.exec(statement);
  connection.close();
}
function read(query: string, file = installation.file): unknown[] {
  const connection = new Sqlite(file, { readonly: true });
  try {
    return connection.prepare(query).pluck().all();
  } finally {
    connection.close();
  }
}
const epochs = (): unknown[] => read('select epoch from rulesets');
/** The files beside the database, except those that SQLite keeps while it is open. */
const others = (): string[] =>
  readdirSync(dirname(installation.file)).filter(
    (name) => name !== basename(installation.file) && !/-(wal|shm)$/.test(name),
  );

/** The rows of the backup, with the epochs that a restore renews. */
async function expectRestored(): Promise<void> {
  const { rulesets, ...lost } = findLostRows(rows, await readRows(installation.context.databaseUrl));
  expect(lost).toEqual({});
  expect(rulesets).toHaveLength(rows['rulesets']!.length);
}

test('brings back every row with new epochs, and keeps the replaced database', async () => {
  change();
  const before = epochs();
  const { result, lines } = await run();
  await expectRestored();
  expect(epochs()).toHaveLength(before.length);
  expect(epochs()).not.toEqual(expect.arrayContaining([before[0]]));
  const { kept } = result as { kept: string[] };
  expect(others()).toEqual([basename(kept[0]!), 'flags.events.db', basename(kept[1]!)]);
  expect(read('select name from organizations', kept[0])).toEqual(['Later']);
  expect(lines.join('\n')).toMatch(/default\/production: ruleset version \d+ \(was \d+\)/);
  expect(lines.join('\n')).toContain('that were revoked after 2026-11-23T10:00:01.000Z work again');
  expect(statSync(installation.file).mode & 0o777).toBe(0o600);
});

describe('the events', () => {
  const events = () => `sqlite:${installation.events}`;
  const countOf = (table: string, file = installation.events) =>
    read(`select count(*) from ${table}`, file)[0];

  test('come back with the rest, and the replaced ones are kept', async () => {
    const before = await readRows(events());
    const connection = openConnection(events());
    connection.exec('delete from counters_hourly; delete from exposures_by_day');
    connection.close();
    const { result, lines } = await run();
    expect(findLostRows(before, await readRows(events()))).toEqual({});
    const { kept } = result as { kept: string[] };
    expect(countOf('exposures_by_day', kept[1])).toBe(0);
    expect(lines.join('\n')).toContain('flags.events.db contains the events of the same backup.');
  });

  test('stay as they are if the backup has none, and the command says so', async () => {
    rmSync(installation.events);
    const old = join(installation.folder, 'old.db');
    await backUp(installation.context, { target: old });
    const db = await openDatabase(installation.context.databaseUrl);
    await db.destroy();
    const { result, lines } = await run({ source: old });
    expect(result).toMatchObject({ events: null });
    expect(lines.join('\n')).toMatch(/contains no events for .*which stays as it is: .* older or newer/);
    expect(existsSync(installation.events)).toBe(true);
  });

  test('that are missing or changed in the backup stop the restore before anything changes', async () => {
    change();
    const copy = backup.replace(/\.db$/, '.events.db');
    const bytes = readFileSync(copy);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(copy, bytes);
    expect(await refusalOf(run())).toMatch(/\.events\.db was changed after the backup was made/);
    truncateSync(copy, 4_096);
    expect(await refusalOf(run())).toMatch(/\.events\.db is truncated/);
    rmSync(copy);
    expect(await refusalOf(run())).toMatch(/\.events\.db is missing: the backup is incomplete/);
    expect(read('select name from organizations')).toEqual(['Later']);
    expect(others()).toEqual(['flags.events.db']);
  });

  test('of a running server stop the restore', async () => {
    const connection = openConnection(events());
    expect(await refusalOf(run())).toMatch(/flags\.events\.db is open in another process/);
    connection.close();
    await run();
  });
});

test('keeps commits of the replaced database that are still in its WAL', async () => {
  const copy = `${installation.file}.copy`;
  const connection = openConnection(installation.context.databaseUrl);
  connection.exec(`update organizations set name = 'Only in the WAL'`);
  // Like a server that was killed: the WAL stays behind.
  for (const suffix of ['', '-wal']) copyFileSync(`${installation.file}${suffix}`, `${copy}${suffix}`);
  connection.close();
  for (const suffix of ['', '-wal']) renameSync(`${copy}${suffix}`, `${installation.file}${suffix}`);
  const { result } = await run();
  await expectRestored();
  const [kept] = (result as { kept: string[] }).kept;
  expect(read('select name from organizations', kept)).toEqual(['Only in the WAL']);
});

test('takes the newest complete backup of a folder', async () => {
  change();
  await backUp(installation.context, { target });
  change(`update organizations set name = 'Latest'`);
  const { result } = await backUp(installation.context, { target });
  rmSync(`${(result as { backup: string }).backup}.manifest.json`);
  await run({ source: target });
  expect(read('select name from organizations')).toEqual(['Later']);
});

test('restores where there is no database yet, and ignores the WAL of a lost one', async () => {
  const lost = installation.file;
  writeFileSync(`${lost}-wal`, readFileSync(lost));
  writeFileSync(`${lost}-shm`, 'old');
  rmSync(lost);
  const { result } = await run({ replace: false });
  await expectRestored();
  expect((result as { kept: string[] }).kept).toEqual([
    expect.stringMatching(/-wal$/),
    expect.stringMatching(/flags\.events\.db\.before-restore-/),
  ]);
  expect(existsSync(`${lost}-wal`)).toBe(false);

  const elsewhere = join(installation.folder, 'new', 'flags.db');
  await run(
    { replace: false },
    {
      databaseUrl: `sqlite:${elsewhere}`,
      eventsUrl: `sqlite:${elsewhere}.events`,
    },
  );
  expect(read('select count(*) from users', elsewhere)).toEqual([rows['users']!.length]);
});

test('replaces the file behind a symbolic link', async () => {
  const link = join(installation.folder, 'link.db');
  symlinkSync(installation.file, link);
  change();
  await run({}, { databaseUrl: `sqlite:${link}` });
  await expectRestored();
});

test('replaces a damaged database', async () => {
  truncateSync(installation.file, 5_000);
  await run();
  await expectRestored();
  writeFileSync(installation.file, 'no database at all'.padEnd(5_000));
  await run();
  await expectRestored();
});

test.each(['sqlite_schema', 'flags', 'audit_entries'])(
  'replaces a database with damage in %s',
  async (table) => {
    const pages = read(`select pageno from dbstat where name = '${table}' and pageno > 1`) as number[];
    expect(pages.length).toBeGreaterThan(0);
    const file = openSync(installation.file, 'r+');
    for (const page of pages) writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, (page - 1) * 4_096);
    closeSync(file);
    await run();
    await expectRestored();
  },
);

describe('refuses', () => {
  /** Every refusal leaves the present database and its folder as they are. */
  async function expectRefusal(pattern: RegExp, options: Options = {}, more: object = {}): Promise<void> {
    const before = readFileSync(installation.file);
    const folder = others();
    expect(await refusal(options, more)).toMatch(pattern);
    expect(readFileSync(installation.file).equals(before)).toBe(true);
    expect(others()).toEqual(folder);
  }

  test('to replace a database without --replace', () => expectRefusal(/add --replace/, { replace: false }));

  test('while another process has the database open, even if it is idle', async () => {
    const server = openConnection(installation.context.databaseUrl);
    server.prepare('select count(*) from users').get();
    expect(await refusal()).toMatch(/is open in another process. Stop the server/);
    expect(server.prepare('select count(*) from users').pluck().get()).toBe(rows['users']!.length);
    server.close();
  });

  test('a truncated backup', async () => {
    truncateSync(backup, statSync(backup).size - 4_096);
    await expectRefusal(/is truncated: it has \d+ of \d+ bytes/);
  });

  test('a backup with one changed byte', async () => {
    const bytes = readFileSync(backup);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(backup, bytes);
    await expectRefusal(/was changed after the backup was made/);
  });

  test('a longer backup', async () => {
    appendFileSync(backup, 'x');
    await expectRefusal(/was changed after the backup was made/);
  });

  test('a backup that was changed together with its manifest', async () => {
    const connection = new Sqlite(backup);
    connection.exec(`update users set email = 'attacker@example.com'`);
    connection.close();
    const path = `${backup}.manifest.json`;
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    manifest.files[0].sha256 = 'f'.repeat(64);
    writeFileSync(path, JSON.stringify(manifest));
    await expectRefusal(/manifest was changed after the backup was made/);
  });

  test.each([
    ['that is not JSON', '{'],
    ['that is a list', '[]'],
    ['that is empty', '{}'],
    ['of a newer format', '{"format":2,"flagsvc_version":"9.0.0"}'],
  ])('a manifest %s', async (_, text) => {
    writeFileSync(`${backup}.manifest.json`, text);
    await expectRefusal(/manifest is damaged|not the one with which|newer version of flagsvc \(9\.0\.0\)/);
  });

  test('a backup without a manifest, unless the operator accepts it', async () => {
    rmSync(`${backup}.manifest.json`);
    await expectRefusal(/has no manifest.*--without-manifest/);
    await run({ withoutManifest: true });
    await expectRestored();
  });

  test('a backup of a newer version', async () => {
    const connection = new Sqlite(backup);
    connection.exec(`insert into schema_changes values ('9999-future', '2030-01-01', '9999-future')`);
    connection.close();
    await expectRefusal(/newer version of flagsvc made .*9999-future/, { withoutManifest: true });
  });

  test('a backup of other secrets', async () => {
    const more = { apiSecretKey: 'another'.repeat(5) };
    await expectRefusal(/not the one with which this backup was made/, {}, more);
    await expectRefusal(/FLAGSVC_API_SECRET_KEY is not the one/, { withoutManifest: true }, more);
  });

  test('a damaged copy, a foreign database and another kind of file', async () => {
    truncateSync(backup, 50_000);
    await expectRefusal(/damaged|not an SQLite database/, { withoutManifest: true });
    const foreign = join(installation.folder, 'foreign.db');
    const connection = new Sqlite(foreign);
    connection.exec('create table notes (text text)');
    connection.close();
    await expectRefusal(/does not contain the tables of flagsvc/, { source: foreign, withoutManifest: true });
    writeFileSync(foreign, '<html></html>'.padEnd(9_000));
    await expectRefusal(/not an SQLite database/, { source: foreign, withoutManifest: true });
  });

  test('the database itself, a missing file and a folder without backups', async () => {
    await expectRefusal(/is the database itself/, { source: installation.file, withoutManifest: true });
    await expectRefusal(/does not exist/, { source: `${backup}.gone.db` });
    const empty = join(installation.folder, 'empty');
    mkdirSync(empty);
    await expectRefusal(/contains no complete backup/, { source: empty });
  });

  test('PostgreSQL, and says which commands to use', async () => {
    await expectRefusal(/pg_restore/, {}, { databaseUrl: 'postgres://flagsvc:hunter2@db/flags' });
  });
});
