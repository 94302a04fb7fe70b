import type { Selectable } from 'kysely';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ErasureTable } from '../../../storage/event-tables.ts';

export type ErasureRow = Selectable<ErasureTable>;

export async function insertErasure(tx: Tx, row: ErasureRow): Promise<void> {
  await tx.insertInto('erasures').values(row).execute();
}

/** The orders of an organization, newest first. */
export async function listErasures(db: Queryable, organizationId: string): Promise<readonly ErasureRow[]> {
  return db
    .selectFrom('erasures')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** The orders of all organizations that are not carried out yet, oldest first. */
export async function listPending(db: Queryable): Promise<readonly ErasureRow[]> {
  return db
    .selectFrom('erasures')
    .selectAll()
    .where('completed_at', 'is', null)
    .orderBy('created_at')
    .execute();
}

export async function findErasure(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ErasureRow | undefined> {
  return db
    .selectFrom('erasures')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Stores what was deleted, and forgets the user's key. */
export async function completeErasure(tx: Tx, row: ErasureRow): Promise<void> {
  const { completed_at, exposures, track_events } = row;
  await tx
    .updateTable('erasures')
    .set({ user_key: null, completed_at, exposures, track_events })
    .where('organization_id', '=', row.organization_id)
    .where('id', '=', row.id)
    .execute();
}

/** The environments of an organization, archived ones and those of archived projects included. */
export async function listAllEnvironmentIds(
  db: Queryable,
  organizationId: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('environments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
