import type { Database } from '../../../storage/database.ts';
import type { PreferenceTable } from '../../../storage/people-tables.ts';

export type PreferenceKey = Pick<PreferenceTable, 'organization_id' | 'user_id'>;

export async function findPreferences(
  db: Database,
  { organization_id, user_id }: PreferenceKey,
): Promise<PreferenceTable | undefined> {
  return db
    .selectFrom('preferences')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();
}

/** Stores the row if the stored revision is still the one before it; 0 before the first. False if it is not. */
export async function storePreferences(db: Database, row: PreferenceTable): Promise<boolean> {
  if (row.revision === 1) {
    const inserted = await db
      .insertInto('preferences')
      .values(row)
      .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doNothing())
      .executeTakeFirst();
    return inserted.numInsertedOrUpdatedRows === 1n;
  }
  const { organization_id, user_id, ...values } = row;
  const updated = await db
    .updateTable('preferences')
    .set(values)
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('revision', '=', row.revision - 1)
    .executeTakeFirst();
  return updated.numUpdatedRows === 1n;
}
