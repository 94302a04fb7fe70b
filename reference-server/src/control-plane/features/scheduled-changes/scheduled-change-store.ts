import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';

/** Soonest first. */
export async function listByFlag(
  db: Queryable,
  organizationId: string,
  flagId: string,
  environmentId?: string,
): Promise<readonly ScheduledChangeTable[]> {
  const query = db
    .selectFrom('scheduled_changes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('flag_id', '=', flagId)
    .orderBy('execute_at')
    .orderBy('id');
  return (environmentId === undefined ? query : query.where('environment_id', '=', environmentId)).execute();
}

export async function findScheduledChange(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ScheduledChangeTable | undefined> {
  return db
    .selectFrom('scheduled_changes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Of all organizations, those whose time has come, in the order of their times; blocked ones among them. */
export async function listDue(db: Queryable, at: string): Promise<readonly ScheduledChangeTable[]> {
  return db
    .selectFrom('scheduled_changes')
    .selectAll()
    .where('status', 'in', ['pending', 'blocked'])
    .where('execute_at', '<=', at)
    .orderBy('execute_at')
    .orderBy('id')
    .execute();
}

export async function insertScheduledChange(tx: Tx, row: ScheduledChangeTable): Promise<void> {
  await tx.insertInto('scheduled_changes').values(row).execute();
}

export async function updateScheduledChange(tx: Tx, row: ScheduledChangeTable): Promise<void> {
  const { organization_id: _, id, ...columns } = row;
  await tx.updateTable('scheduled_changes').set(columns).where('id', '=', id).execute();
}

/** False when somebody else has executed, changed or cancelled it since it was read. */
export async function markExecuted(tx: Tx, row: ScheduledChangeTable, at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('scheduled_changes')
    .set({
      status: 'executed',
      executed_at: at,
      updated_at: at,
      error_json: null,
      retry_at: null,
      revision: row.revision + 1,
    })
    .where('id', '=', row.id)
    .where('status', 'in', ['pending', 'blocked'])
    .where('revision', '=', row.revision)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** What was planned on the flag as this change has found it is planned on what the change made of it. */
export async function carryAlong(tx: Tx, row: ScheduledChangeTable, revision: number): Promise<void> {
  await tx
    .updateTable('scheduled_changes')
    .set({ base_revision: revision })
    .where('flag_id', '=', row.flag_id)
    .where('environment_id', '=', row.environment_id)
    .where('status', 'in', ['pending', 'blocked'])
    .where('base_revision', '=', row.base_revision)
    .execute();
}

/** When it is tried again and, for one that is blocked, by what it is now. Not one that was planned anew since. */
export async function setRetry(
  db: Queryable,
  { id, revision }: ScheduledChangeTable,
  columns: { readonly retry_at: string; readonly error_json?: string },
): Promise<void> {
  await db
    .updateTable('scheduled_changes')
    .set(columns)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .execute();
}
