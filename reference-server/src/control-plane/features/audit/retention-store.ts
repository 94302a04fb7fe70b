import type { Queryable, Tx } from '../../../storage/database.ts';

/** Counts the entries with an id below `firstId`, stopping at `max`. */
export async function countEntriesBefore(
  db: Queryable,
  organizationId: string,
  firstId: string,
  max: number,
): Promise<number> {
  const rows = await entriesBefore(db, organizationId, firstId, max).execute();
  return rows.length;
}

/** Deletes up to `max` entries with an id below `firstId`, the oldest first. */
export async function deleteEntriesBefore(
  tx: Tx,
  organizationId: string,
  firstId: string,
  max: number,
): Promise<void> {
  await tx
    .deleteFrom('audit_entries')
    .where('id', 'in', entriesBefore(tx, organizationId, firstId, max))
    .execute();
}

function entriesBefore(db: Queryable, organizationId: string, firstId: string, max: number) {
  return db
    .selectFrom('audit_entries')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<', firstId)
    .orderBy('id')
    .limit(max);
}
