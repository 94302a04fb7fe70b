import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { controlPlane } from './migrations/0001-control-plane.ts';
import { events } from './migrations/0002-events.ts';
import { revisionsSearchImports } from './migrations/0010-revisions-search-imports.ts';
import { flagListIndexes } from './migrations/0011-flag-list-indexes.ts';
import { peopleAndGovernance } from './migrations/0020-people-and-governance.ts';
import { webhooks } from './migrations/0030-webhooks.ts';
import { migrate, SQLITE_MIGRATIONS } from './migrations.ts';
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
  connection.exec(`insert into kysely_migration values ('9999-of-the-future', '${AT}')`);
  connection.close();
  await expect(openDatabase(url)).rejects.toThrow(
    /^a newer version of flagsvc has changed its tables \(9999-of-the-future\)/,
  );
});

test('runs a migration whose number is below that of an executed one', async () => {
  const url = `sqlite:${join(directory, 'blocks', 'flags.db')}`;
  const db = await openDatabase(url);
  const late = { ...SQLITE_MIGRATIONS, '9800-late': ['create table late (id text)'] };
  await migrate(db as never, late);
  await migrate(db as never, { ...late, '9799-earlier': ['create table earlier (id text)'] });
  await db.destroy();
  const connection = openConnection(url);
  const names = connection
    .prepare("select name from sqlite_master where name in ('late', 'earlier') order by name")
    .all();
  connection.close();
  expect(names).toEqual([{ name: 'earlier' }, { name: 'late' }]);
});
