import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';

/** The changes of a flag, in one environment or all, soonest first. */
export async function listByFlag(
  db: Queryable,
  organizationId: string,
  { flagId, environmentId }: { readonly flagId: string; readonly environmentId?: string | undefined },
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

/** The due changes of all organizations, including blocked ones, in the order of their times. */
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

/** Marks a change as executed; false when it was executed, changed or cancelled since it was read. */
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
    .where('status', 'not in', ['executed', 'cancelled'])
    .where('revision', '=', row.revision)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Moves the other open changes with the same base revision as this one to the revision to which this one has led. */
export async function moveBaseRevision(tx: Tx, row: ScheduledChangeTable, revision: number): Promise<void> {
  await tx
    .updateTable('scheduled_changes')
    .set({ base_revision: revision })
    .where('flag_id', '=', row.flag_id)
    .where('environment_id', '=', row.environment_id)
    .where('status', 'in', ['pending', 'blocked'])
    .where('base_revision', '=', row.base_revision)
    .execute();
}

/** Sets the time of the next attempt, unless the change was altered since it was read. */
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
