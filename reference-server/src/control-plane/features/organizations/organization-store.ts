import type { Queryable, Tx } from '../../../storage/database.ts';
import type { OrganizationTable } from '../../../storage/tables.ts';

export async function findOrganization(db: Queryable, id: string): Promise<OrganizationTable | undefined> {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The oldest organization: in `oss` mode the only one. */
export async function findFirstOrganization(db: Queryable): Promise<OrganizationTable | undefined> {
  return db.selectFrom('organizations').selectAll().orderBy('id').executeTakeFirst();
}

export async function insertOrganization(tx: Tx, row: OrganizationTable): Promise<void> {
  await tx.insertInto('organizations').values(row).execute();
}

export async function updateOrganization(tx: Tx, row: OrganizationTable): Promise<void> {
  const { id, name, settings_json, revision, updated_at } = row;
  await tx
    .updateTable('organizations')
    .set({ name, settings_json, revision, updated_at })
    .where('id', '=', id)
    .execute();
}
