import type { Queryable, Tx } from '../../../storage/database.ts';

/** The oldest entries of an organization. */
export interface OldEntries {
  readonly organizationId: string;
  /** Entries with an id below this one. */
  readonly beforeId: string;
  readonly max: number;
}

/** Counts the entries, up to `max`. */
export async function countOldEntries(db: Queryable, old: OldEntries): Promise<number> {
  const rows = await selectOldEntries(db, old).execute();
  return rows.length;
}

/** Deletes up to `max` entries, the oldest first. */
export async function deleteOldEntries(tx: Tx, old: OldEntries): Promise<void> {
  await tx.deleteFrom('audit_entries').where('id', 'in', selectOldEntries(tx, old)).execute();
}

function selectOldEntries(db: Queryable, { organizationId, beforeId, max }: OldEntries) {
  return db
    .selectFrom('audit_entries')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<', beforeId)
    .orderBy('id')
    .limit(max);
}
