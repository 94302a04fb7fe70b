import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Queryable } from '../../src/storage/database.ts';
import { FREE_TABLES } from '../../src/storage/migrations/postgres/0073-row-level-security.ts';
import { writeExclusively } from '../../src/storage/transactions.ts';
import { openTestDatabase } from '../database.ts';

let db: Database;

const AT = '2026-11-20T10:00:00.000Z';
const OURS = { organizationId: 'org_A' };

beforeAll(async () => {
  db = await openTestDatabase();
  for (const id of ['org_A', 'org_B']) {
    const common = { revision: 1, created_at: AT, updated_at: AT };
    await db
      .insertInto('organizations')
      .values({ id, name: id, slug: id, plan: 'oss', status: 'active', settings_json: '{}', ...common })
      .execute();
    await insertProject(db, id, `prj_${id}`);
  }
});
afterAll(() => db.destroy());

async function insertProject(on: Queryable, organization_id: string, id: string): Promise<void> {
  await on
    .insertInto('projects')
    .values({
      organization_id,
      id,
      key: id,
      name: id,
      description: '',
      settings_json: '{}',
      tags_json: '[]',
      default_environment_id: null,
      revision: 1,
      created_at: AT,
      updated_at: AT,
      archived_at: null,
    })
    .execute();
}

const idsOf = async (on: Queryable) =>
  (await on.selectFrom('projects').select('id').orderBy('id').execute()).map(({ id }) => id);

test('every table with an organization_id has a row policy, except those of FREE_TABLES', async () => {
  const { rows } = await sql<{ name: string; secured: number }>`
    select table_name as name, (relrowsecurity and relforcerowsecurity)::int::bigint as secured
    from information_schema.columns join pg_class on relname = table_name and relkind = 'r'
    where table_schema = current_schema() and column_name = 'organization_id' order by table_name`.execute(
    db,
  );
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ secured }) => secured === 0).map(({ name }) => name)).toEqual(
    [...FREE_TABLES].sort(),
  );
});

test("statements without a where clause read and change only rows of their transaction's organization", async () => {
  await writeExclusively(db, OURS, async (tx) => {
    expect(await idsOf(tx)).toEqual(['prj_org_A']);
    await tx.updateTable('projects').set({ name: 'changed' }).execute();
    await tx.deleteFrom('projects').where('id', '=', 'prj_org_B').execute();
  });
  const rows = await db.selectFrom('projects').select(['id', 'name']).orderBy('id').execute();
  expect(rows).toEqual([
    { id: 'prj_org_A', name: 'changed' },
    { id: 'prj_org_B', name: 'prj_org_B' },
  ]);
});

test('a transaction of one organization cannot insert rows for another', async () => {
  const writing = writeExclusively(db, OURS, (tx) => insertProject(tx, 'org_B', 'prj_stray'));
  await expect(writing).rejects.toMatchObject({ code: '42501' });
  await writeExclusively(db, OURS, (tx) => insertProject(tx, 'org_A', 'prj_own'));
  expect(await idsOf(db)).toEqual(['prj_org_A', 'prj_org_B', 'prj_own']);
});

test("rows are limited to an organization only within its own transaction; the service's transactions see all organizations", async () => {
  await writeExclusively(db, OURS, async (tx) => expect(await idsOf(tx)).not.toContain('prj_org_B'));
  await writeExclusively(db, 'outbox', async (tx) => expect(await idsOf(tx)).toContain('prj_org_B'));
  for (let round = 0; round < 20; round++) expect(await idsOf(db)).toContain('prj_org_B');
});
