import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { migrate } from './migrate.ts';
import { readMigrationState } from './migration-state.ts';
import { controlPlane } from './migrations/0001-control-plane.ts';
import { events } from './migrations/0002-events.ts';
import { revisionsSearchImports } from './migrations/0010-revisions-search-imports.ts';
import { flagListIndexes } from './migrations/0011-flag-list-indexes.ts';
import { peopleAndGovernance } from './migrations/0020-people-and-governance.ts';
import { webhooks } from './migrations/0030-webhooks.ts';
import { SQLITE_MIGRATIONS } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { openConnection } from './sqlite.ts';

const directory = mkdtempSync(join(tmpdir(), 'flagsvc-migrations-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const AT = '2026-11-01T00:00:00.000Z';

/** The migrations before 0040, by the names under which Kysely records them. */
const OLD = {
  '0001-control-plane': controlPlane,
  '0002-events': events,
  '0010-revisions-search-imports': revisionsSearchImports,
  '0011-flag-list-indexes': flagListIndexes,
  '0020-people-and-governance': peopleAndGovernance,
  '0030-webhooks': webhooks,
};

function writeOldDatabase(url: string): void {
  const connection = openConnection(url);
  connection.exec(`create table kysely_migration (name text primary key, timestamp text not null);
    create table kysely_migration_lock (id text primary key, is_locked integer not null default 0);
    insert into kysely_migration_lock values ('migration_lock', 0);`);
  for (const [name, statements] of Object.entries(OLD)) {
    for (const statement of statements) connection.exec(statement);
    connection.prepare('insert into kysely_migration values (?, ?)').run(name, AT);
  }
  connection.exec(`
    insert into organizations values ('org_1', 'O', 'o', 'oss', 'active', '{}', 1, '${AT}', '${AT}');
    insert into projects values ('org_1', 'prj_1', 'web', 'Web', '', '{}', '[]', null, 1, '${AT}', '${AT}', null);
    insert into environments values ('org_1', 'prj_1', 'env_1', 'dev', 'Dev', 'development', '', 0, 0, 0, 0, 1,
      '${AT}', '${AT}');
    insert into flags (organization_id, project_id, id, key, name, description, flag_type, status, variations_json,
      tags_json, client_side, permanent, revision, created_at, updated_at)
      values ('org_1', 'prj_1', 'flg_1', 'dark-mode', 'Dark', '', 'boolean', 'active', '[]', '[]', 0, 0, 1,
      '${AT}', '${AT}');
    insert into segments values ('org_1', 'prj_1', 'seg_1', 'beta', 'Beta', '', '[]', '[]', 1, '${AT}', '${AT}');
    insert into api_keys (organization_id, project_id, environment_id, id, name, kind, hash, prefix, last_four,
      allowed_origins_json, allowed_ips_json, revision, created_at)
      values ('org_1', 'prj_1', 'env_1', 'key_1', 'k', 'server', 'h', 'sdk-dev-', 'abcd', '[]', '[]', 1, '${AT}');`);
  connection.close();
}

test('opens and migrates the database of an older version', async () => {
  const url = `sqlite:${join(directory, 'old.db')}`;
  writeOldDatabase(url);
  const db = await openDatabase(url);
  const flag = await db.selectFrom('flags').selectAll().executeTakeFirstOrThrow();
  expect(flag).toMatchObject({ key: 'dark-mode', track_exposures: 0 });
  const segment = await db.selectFrom('segments').selectAll().executeTakeFirstOrThrow();
  expect(segment).toMatchObject({ key: 'beta', included_json: null, excluded_json: '[]' });
  const key = await db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow();
  expect(key).toMatchObject({ name: 'k', noticed_expiry: null });

  await db.updateTable('flags').set({ track_exposures: 1, revision: 2 }).execute();
  const revisions = await db.selectFrom('flag_revisions').selectAll().orderBy('seq').execute();
  const kept = revisions.map(({ revision, content_json }) => [
    revision,
    JSON.parse(content_json).track_exposures,
  ]);
  expect(kept).toEqual([
    [1, undefined],
    [2, 1],
  ]);
  await db.destroy();

  const again = await openDatabase(url);
  expect(await again.selectFrom('leases').selectAll().execute()).toEqual([]);
  await again.destroy();
});

test('refuses a database that a newer version has migrated, and says why', async () => {
  const url = `sqlite:${join(directory, 'newer', 'flags.db')}`;
  await (await openDatabase(url)).destroy();
  const connection = openConnection(url);
  connection.exec(`insert into schema_changes values ('9999-of-the-future', '${AT}', '9998-also-unknown')`);
  connection.close();
  await expect(openDatabase(url)).rejects.toThrow(
    /^a newer version of flagsvc has changed its tables \(9999-of-the-future\)/,
  );
});

test('runs a migration whose number is below that of an executed one', async () => {
  const url = `sqlite:${join(directory, 'blocks', 'flags.db')}`;
  const db = await openDatabase(url);
  const late = { ...SQLITE_MIGRATIONS, '9800-late': ['create table late (id text)'] };
  await migrate(db, late);
  await migrate(db, { ...late, '9799-earlier': ['create table earlier (id text)'] });
  await db.destroy();
  const connection = openConnection(url);
  const names = connection
    .prepare("select name from sqlite_master where name in ('late', 'earlier') order by name")
    .all();
  connection.close();
  expect(names).toEqual([{ name: 'earlier' }, { name: 'late' }]);
});

test('goes on after additions of a newer version, and after contractions that it has prepared for', async () => {
  const url = `sqlite:${join(directory, 'steps', 'flags.db')}`;
  const db = await openDatabase(url);
  const before = SQLITE_MIGRATIONS;
  const expanded = { ...before, '9801-expand': ['alter table flags add column more text'] };
  const migrated = { ...expanded, '9802-migrate': ['update flags set more = name'] };
  const contracted = { ...migrated, '9803-contract': ['alter table segments drop column tags_json'] };
  const contractions = { '9803-contract': '9802-migrate' };

  await migrate(db, migrated);
  expect(await migrate(db, before)).toMatchObject({ unknown: ['9801-expand', '9802-migrate'], barring: [] });
  await migrate(db, contracted, contractions);
  expect(await migrate(db, migrated, contractions)).toMatchObject({
    unknown: ['9803-contract'],
    barring: [],
  });
  await expect(migrate(db, expanded, contractions)).rejects.toThrow(/9803-contract/);
  await expect(migrate(db, before)).rejects.toThrow(/9803-contract/);
  await db.destroy();
});

test('a contraction also stops the first versions, which read another table', async () => {
  const url = `sqlite:${join(directory, 'first', 'flags.db')}`;
  writeOldDatabase(url);
  const db = await openDatabase(url);
  const steps = { ...SQLITE_MIGRATIONS, '9802-migrate': [], '9803-contract': [] };
  await migrate(db, steps, { '9803-contract': '9802-migrate' });
  const { rows } = await sql<{ name: string }>`select name from kysely_migration where name > '9'`.execute(
    db,
  );
  await db.destroy();
  expect(rows).toEqual([{ name: '9803-contract' }]);
});

test('a failed migration changes nothing, and those before it stay', async () => {
  const db = await openDatabase(`sqlite:${join(directory, 'failing', 'flags.db')}`);
  const broken = {
    ...SQLITE_MIGRATIONS,
    '9801-good': ['create table good (id text)'],
    '9802-bad': ['create table bad (id text)', 'create table good (id text)'],
  };
  await expect(migrate(db, broken)).rejects.toThrow(/good already exists/);
  const { rows } = await sql<{
    name: string;
  }>`select name from sqlite_master where name in ('good', 'bad')`.execute(db);
  expect(rows).toEqual([{ name: 'good' }]);
  expect((await readMigrationState(db, broken)).pending).toEqual(['9802-bad']);
  await db.destroy();
});
