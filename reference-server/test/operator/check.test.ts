import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { check } from '../../src/operator/check/check.ts';
import { checkIntegrity } from '../../src/operator/check/check-schema.ts';
import { type FilledInstallation, newInstallation, refusalOf } from './installation.ts';

let installation: FilledInstallation;
beforeEach(async () => {
  installation = await newInstallation();
});
afterEach(() => installation.remove());

interface Report {
  readonly sound: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly details: readonly string[];
  }[];
}

/** Runs all checks. Returns those that are not fine, by name. */
async function findFaults(more: object = {}): Promise<Record<string, readonly string[]>> {
  const { result, hasFaults } = await check({ ...installation.context, ...more }, 'integrity_check');
  const report = result as Report;
  expect(hasFaults).toBe(!report.sound);
  const bad = report.checks.filter(({ status }) => status !== 'ok');
  return Object.fromEntries(
    bad.map(({ name, status, message, details }) => [name, [status, message, ...details]]),
  );
}

function change(...statements: readonly string[]): void {
  const connection = new Sqlite(installation.file);
  connection.pragma('foreign_keys = off');
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

test('finds a sound installation sound, by every check', async () => {
  const { lines, result, hasFaults } = await check(installation.context, 'quick_check');
  expect(hasFaults).toBe(false);
  const names = (result as Report).checks.map(({ name }) => name);
  expect(names).toEqual([
    'integrity',
    'foreign keys',
    'migrations',
    'audit',
    'secrets',
    'rulesets',
    'events',
  ]);
  expect(lines.join('\n')).toMatch(
    /ok +events +.*flags\.events\.db: SQLite finds no damage \(quick_check\); all 1 migration have run/,
  );
  expect(lines.join('\n')).toMatch(/ok +audit +\d{2,} audit entries have their hashes\n/);
  expect(lines.join('\n')).toMatch(/ok +rulesets +\d rulesets with [1-9]\d+ flags compile/);
  expect(lines.at(-1)).toBe(`sqlite:${installation.file} is sound.`);
});

test('finds damaged events and missing ones', async () => {
  truncateSync(installation.events, 8_192);
  expect((await findFaults())['events']![0]).toBe('failed');
  rmSync(installation.events);
  expect((await findFaults())['events']).toEqual(['warning', expect.stringContaining('does not exist yet')]);
});

test('finds a damaged page and a damaged index', async () => {
  const connection = new Sqlite(installation.file);
  connection.pragma('journal_mode = delete');
  const { rootpage } = connection
    .prepare('select rootpage from sqlite_schema where name = ?')
    .get('outbox') as { rootpage: number };
  const size = connection.pragma('page_size', { simple: true }) as number;
  connection.close();
  const file = openSync(installation.file, 'r+');
  writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (rootpage - 1) * size);
  closeSync(file);
  const { integrity } = await findFaults();
  expect(integrity!.join('\n')).toMatch(/^failed\n.*restore a backup/);
  expect(integrity!.length).toBeGreaterThan(2);
});

test('lists faults without SQLite’s heading, because a backup prints only the first line', () => {
  const copy = join(installation.folder, 'leaf.db');
  const connection = new Sqlite(installation.file);
  connection.prepare('vacuum into ?').run(copy);
  const size = connection.pragma('page_size', { simple: true }) as number;
  connection.close();
  const bytes = readFileSync(copy);
  const faultOf = (page: number): string => {
    writeFileSync(copy, Buffer.from(bytes).fill(0xa5, page * size, (page + 1) * size));
    const damaged = new Sqlite(copy, { readonly: true });
    try {
      return checkIntegrity(damaged, 'quick_check').details![0]!;
    } catch (error) {
      return (error as Error).message;
    } finally {
      damaged.close();
    }
  };
  const faults = Array.from({ length: 20 }, (_, index) =>
    faultOf(Math.floor(((index + 1) * bytes.length) / size / 22)),
  );
  expect(faults.filter((fault) => fault.startsWith('***'))).toEqual([]);
  expect(faults.join('\n')).toMatch(/^Tree \d+ page \d+/m);
});

test.each([
  ['is empty', ''],
  ['is not a database', '<html>'.padEnd(4_096)],
])('reports a file that %s', async (_, content) => {
  writeFileSync(installation.file, content);
  const faults = await findFaults();
  expect(JSON.stringify(faults)).toMatch(/not a database|cannot be read/);
});

test('finds rows that refer to missing rows', async () => {
  change(`update sessions set user_id = 'usr_gone'`);
  const { 'foreign keys': faults } = await findFaults();
  expect(faults).toEqual([
    'failed',
    expect.any(String),
    expect.stringMatching(/^sessions refers to missing rows of users/),
  ]);
});

test.each([
  ['a changed column', `update audit_entries set action = 'flag.deleted' where action = 'flag.toggled'`],
  ['a changed actor', `update audit_entries set actor_id = 'usr_other'`],
  ['a changed value', `update audit_entries set changes_json = replace(changes_json, 'true', 'false')`],
  [
    'changed content',
    `update audit_entries set content_json = replace(content_json, 'toggled', 'created') where action = 'flag.toggled'`,
  ],
  [
    'a removed hash',
    `update audit_entries set leaf_hash = null where id = (select max(id) from audit_entries)`,
  ],
])('finds audit entries with %s', async (_, statement) => {
  change(statement);
  const { audit, ...others } = await findFaults();
  expect(audit).toEqual(['failed', expect.any(String), ...Array(audit!.length - 2).fill(expect.any(String))]);
  expect(audit![2]).toMatch(
    /^evt_\w+ \([\w.]+\): its (columns differ from its content|content does not have)/,
  );
  expect(others).toEqual({});
});

test('accepts erased personal fields, and entries from before the hashes', async () => {
  change(
    `update audit_entries set actor_email = null, ip = null, user_agent = null`,
    `update audit_entries set leaf_hash = null, content_json = null where id = (select min(id) from audit_entries)`,
  );
  expect(await findFaults()).toEqual({});
});

test('warns of an entry without a hash after entries with one', async () => {
  change(
    `update audit_entries set leaf_hash = null, content_json = null where id = (select max(id) from audit_entries)`,
  );
  expect((await findFaults())['audit']).toEqual([
    'warning',
    expect.stringContaining('1 audit entries without a hash'),
    expect.stringMatching(/^evt_/),
  ]);
});

test('compares the secrets', async () => {
  expect((await findFaults({ apiSecretKey: 'another'.repeat(5) }))['secrets']).toEqual([
    'failed',
    expect.stringContaining('FLAGSVC_API_SECRET_KEY is not the one'),
  ]);
  expect((await findFaults({ jwtSecretKey: 'another'.repeat(5) }))['secrets']).toEqual([
    'warning',
    expect.stringContaining('FLAGSVC_JWT_SECRET_KEY has changed'),
  ]);
});

test('finds flags that cannot be served', async () => {
  change(
    `update flag_environments set rules_json = '{' where flag_id = (select id from flags where key = 'flag-1')`,
  );
  expect((await findFaults())['rulesets']).toEqual([
    'failed',
    'some flags cannot be served',
    expect.stringMatching(/^default\/development: /),
    expect.stringMatching(/^default\/staging: /),
    expect.stringMatching(/^default\/production: /),
  ]);
});

test('warns of an older schema and refuses a newer one, without changing either', async () => {
  change(`delete from schema_changes where name = '0220-event-keys'`);
  const old = await findFaults();
  expect(old['migrations']).toEqual(['warning', expect.any(String), '0220-event-keys']);
  expect(old['rulesets']![0]).toBe('skipped');
  change(`insert into schema_changes values ('9999-future', '2030-01-01', '9999-future')`);
  expect((await findFaults())['migrations']).toEqual([
    'failed',
    expect.stringContaining('newer version'),
    '9999-future',
  ]);
});

test('refuses a PostgreSQL out of reach in one line, without its password', async () => {
  const databaseUrl = 'postgres://me:hunter2@127.0.0.1:1/flags';
  const refused = refusalOf(check({ ...installation.context, databaseUrl }, 'quick_check'));
  expect(await refused).toBe(
    'postgres://me@127.0.0.1:1/flags cannot be checked: connect ECONNREFUSED 127.0.0.1:1. See FLAGSVC_DATABASE_URL.',
  );
});

test('refuses a database that does not exist, without creating it', async () => {
  rmSync(installation.file);
  expect(await refusalOf(check(installation.context, 'quick_check'))).toContain('does not exist');
  const inMemory = { ...installation.context, databaseUrl: 'sqlite::memory:' };
  expect(await refusalOf(check(inMemory, 'quick_check'))).toContain('in memory');
});
