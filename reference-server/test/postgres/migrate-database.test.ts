import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { check } from '../../src/operator/check/check.ts';
import { migrateDatabase } from '../../src/operator/migrate-database/migrate-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { openConnection } from '../../src/storage/sqlite.ts';
import { ask, newEmptyDatabase, type SharedDatabase } from '../database.ts';
import { evaluateThousand, expectSameService, startDrill } from '../operator/drill.ts';
import {
  environmentOf,
  type FilledInstallation,
  newInstallation,
  refusalOf,
} from '../operator/installation.ts';
import { startServer } from '../server-process.ts';
import { findLostRows, listEmptyTables, readRows } from '../upgrades/rows.ts';

/** For tests that start several processes one after the other. */
const TIMEOUT_MS = 180_000;

let installation: FilledInstallation;
let target: SharedDatabase;
beforeEach(async () => {
  installation = await newInstallation();
  target = await newEmptyDatabase();
});
afterEach(async () => {
  installation.remove();
  await target.remove();
});

const move = () =>
  migrateDatabase(installation.context, { from: installation.context.databaseUrl, to: target.url });

function change(...statements: readonly string[]): void {
  changeFile(installation.file, statements);
}

function changeFile(file: string, statements: readonly string[]): void {
  const connection = new Sqlite(file);
  connection.pragma('foreign_keys = off');
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

async function query<T extends object>(text: string): Promise<T[]> {
  const client = new pg.Client(target.url);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL returns large integers as texts. */
const asTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'number' ? String(one) : one)));

test('copies every row of every table, and changes nothing in the source', async () => {
  const bytes = readFileSync(installation.file);
  const before = await readRows(installation.context.databaseUrl);
  const events = await readRows(installation.context.eventsUrl);
  const { kysely_migration: _, schema_changes: __, event_moves: ___, ...tables } = { ...before, ...events };
  // Tables that are newer than the last released schema may be empty.
  expect(Object.keys(tables).length - listEmptyTables(before).length).toBeGreaterThan(40);
  const { result } = await move();
  // Derived from the schemas of both engines: a table that is not copied fails here.
  const counts = (result as { tables: Record<string, number> }).tables;
  expect(Object.keys(counts).sort()).toEqual(Object.keys(tables).sort());
  const after = await readRows(target.url);
  expect(
    Object.keys(after)
      .filter(
        (name) => !/^(kysely_migration|schema_changes$|row_changes$|shared_|watched_commits$)/.test(name),
      )
      .sort(),
  ).toEqual(Object.keys(tables).sort());
  for (const [name, rows] of Object.entries(tables))
    expect([name, after[name]?.length]).toEqual([name, rows.length]);
  expect(findLostRows(asTexts(tables) as never, asTexts(after) as never)).toEqual({});
  expect(readFileSync(installation.file).equals(bytes)).toBe(true);
});

test('a fresh process on PostgreSQL serves the same, with the same logins and keys, and accepts changes', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { facts, context } = installation;
  const first = await startDrill(context.databaseUrl, facts);
  const before = await evaluateThousand(first.sdk);
  const tag = (await first.sdk.dataPlane.ruleset().answer).headers.etag;
  await first.stop();
  await move();

  const second = await startDrill(target.url, facts);
  // The ruleset keeps its identity, so clients need not fetch it again.
  expect((await second.sdk.dataPlane.ruleset().answer).headers.etag).toBe(tag);
  await expectSameService(second, { facts, before });
  // Generated numbers continue after those of the source; searches find what was moved.
  const created = await second.admin.flags.create({
    key: 'after-the-move',
    name: 'After the move',
    flag_type: 'boolean',
    default_variation: 'off',
    variations: [
      { key: 'on', name: 'On', value: true },
      { key: 'off', name: 'Off', value: false },
    ],
  });
  const found = await second.admin.flags.list({ search: 'after-the', per_page: 100 });
  expect(found.map(({ id }) => id)).toEqual([created.id]);
  expect((await second.admin.flags.list({ search: 'colour' })).length).toBeGreaterThan(0);
  await second.stop();

  // The audit log keeps its hashes.
  const { lines, hasFaults } = await check({ ...context, databaseUrl: target.url }, 'integrity_check');
  expect([hasFaults, lines.join('\n')]).toEqual([
    false,
    expect.stringMatching(/ok +audit +\d{2,} audit entries/),
  ]);
  const [{ bare } = { bare: '0' }] = await query<{ bare: string }>(
    'select count(*) as bare from flag_revisions where audit_id is null',
  );
  expect(bare).toBe('0');
});

test('moves tables of plugins with their rows', async () => {
  change(
    `create table tickets_open (organization_id text not null, id text primary key, weight real) strict`,
    `create index tickets_by_organization on tickets_open (organization_id)`,
    `insert into tickets_open values ('org_1', 'one', 0.1), ('org_1', 'two', null)`,
  );
  await move();
  expect(await query('select * from tickets_open order by id')).toEqual([
    { organization_id: 'org_1', id: 'one', weight: 0.1 },
    { organization_id: 'org_1', id: 'two', weight: null },
  ]);
  expect(await query(`select from pg_indexes where indexname = 'tickets_by_organization'`)).toHaveLength(1);
});

test('refuses a target with data, even if only one server has started on it', async () => {
  const db = await openDatabase(target.url);
  await db.insertInto('secret_marks').values({ variable: 'A', mark: 'b' }).execute();
  await db.destroy();
  expect(await refusalOf(move())).toContain('The target contains data (secret_marks)');
  expect(await query('select * from users')).toEqual([]);
});

test('keeps nothing of a move that fails, and works the next time', async () => {
  // The last table in the order cannot be written.
  await (await openDatabase(target.url)).destroy();
  await ask(target.url, `alter table webhook_attempts add constraint broken check (attempt < 0)`);
  await expect(move()).rejects.toThrow(/broken/);
  expect(await query('select * from organizations')).toEqual([]);
  const triggers = await query(`select from pg_trigger where tgenabled = 'D'`);
  expect(triggers).toEqual([]);
  await ask(target.url, 'alter table webhook_attempts drop constraint broken');
  await move();
  expect((await query('select * from users')).length).toBeGreaterThan(0);
});

test('finds a copy that differs from its source, and keeps nothing of it', async () => {
  await (await openDatabase(target.url)).destroy();
  // The target pads a text, which no count would show.
  await ask(target.url, 'alter table projects alter column name type char(200)');
  expect(await refusalOf(move())).toMatch(
    /The copy of projects differs from the source \((\d+) and \1 rows\)/,
  );
  expect(await query('select * from organizations')).toEqual([]);
});

test.each<[string, () => unknown, RegExp]>([
  [
    'a source that a server uses',
    () => openConnection(installation.context.databaseUrl),
    /open in another process/,
  ],
  ['rows that refer to missing rows', () => change(`update sessions set user_id = 'gone'`), /lead nowhere/],
  [
    'an older schema',
    () => change(`delete from schema_changes where name = '0220-event-keys'`),
    /older version/,
  ],
  [
    'a newer schema',
    () => change(`insert into schema_changes values ('9999-next', '', '9999-next')`),
    /newer version .*9999/,
  ],
])('refuses %s', async (_, prepare, reason) => {
  const connection = prepare() as Sqlite.Database | undefined;
  connection?.prepare('select count(*) from users').get();
  expect(await refusalOf(move())).toMatch(reason);
  connection?.close();
});

test('refuses other directions, a missing file, and a server out of reach', async () => {
  const { databaseUrl } = installation.context;
  const refusal = (from: string, to: string) =>
    refusalOf(migrateDatabase(installation.context, { from, to }));
  expect(await refusal(target.url, databaseUrl)).toContain('Only moves from SQLite to PostgreSQL');
  expect(await refusal(databaseUrl, databaseUrl)).toContain('Only moves from SQLite to PostgreSQL');
  expect(await refusal('sqlite::memory:', target.url)).toContain('Only moves from SQLite to PostgreSQL');
  expect(await refusal(`${databaseUrl}.gone`, target.url)).toContain('does not exist');
  const message = await refusal(databaseUrl, 'postgres://flagsvc:hunter2@127.0.0.1:1/flags');
  expect(message).toContain('Opening postgres://flagsvc@127.0.0.1:1/flags failed');
  expect(message).not.toContain('hunter2');
});

test('refuses a source whose events have not moved yet', async () => {
  change(`insert into track_events (organization_id, environment_id, id, timestamp, event_name, user_key, properties_json)
    values ('org', 'env', 't', '2026-11-20T10:00:00.000Z', 'buy', 'user', '{}')`);
  expect(await refusalOf(move())).toMatch(
    /flags\.db still contains events of an earlier version \(track_events\)\. Start the server/,
  );
});

test('a process that is killed in the middle leaves an empty target, and the next one succeeds', {
  timeout: TIMEOUT_MS,
}, async () => {
  // Enough rows for the move to be interrupted.
  changeFile(installation.events, [
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
      insert into exposures_by_day (organization_id, environment_id, id, timestamp, flag_key, reason, user_key)
      select 'org', 'env', 'exposure-' || i, '2026-11-20T10:00:00.000Z', 'flag', 'DEFAULT', 'user' from n`,
  ]);
  const command = ['migrate-database', '--to', target.url];
  const start = () => startServer(environmentOf(installation.context.databaseUrl), { command });
  const killed = start();
  await expect
    .poll(() => killed.output.err, { interval: 5, timeout: TIMEOUT_MS })
    .toMatch(/copied and compared users/);
  killed.child.kill('SIGKILL');
  expect(await killed.exit).toBeNull();
  expect(killed.output.err).toContain('if this command stops, the target stays empty');
  expect(killed.output.out).toBe('');
  const next = start();
  expect([await next.exit, next.output.out]).toEqual([
    0,
    expect.stringContaining('contains the whole installation'),
  ]);
  expect(next.output.err).toContain('copied and compared exposures_by_day: 20,001 rows');
});
