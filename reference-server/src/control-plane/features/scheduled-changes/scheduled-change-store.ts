import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';

/** A scheduled change with the key of its flag. */
export interface ScheduledChangeRow extends ScheduledChangeTable {
  readonly flag_key: string;
}

/** The changes of a flag, in one environment or all, soonest first. */
export async function listByFlag(
  db: Queryable,
  organizationId: string,
  { flagId, environmentId }: { readonly flagId: string; readonly environmentId?: string | undefined },
): Promise<readonly ScheduledChangeRow[]> {
  return rowsOf(db)
    .where('scheduled_changes.organization_id', '=', organizationId)
    .where('flag_id', '=', flagId)
    .$if(environmentId !== undefined, (query) => query.where('environment_id', '=', environmentId!))
    .orderBy('execute_at')
    .orderBy('scheduled_changes.id')
    .execute();
}

/** Which changes of a project to list. */
export interface ProjectSchedule {
  readonly projectId: string;
  /** Absent: all environments. */
  readonly environmentId?: string | undefined;
  /** Absent: all states. */
  readonly statuses?: readonly string[] | undefined;
}

/** One page of the changes of a project, soonest first, and how many there are. */
export async function listByProject(
  db: Queryable,
  organizationId: string,
  wanted: ProjectSchedule & { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly rows: readonly ScheduledChangeRow[] }> {
  const { projectId, environmentId, statuses, limit, offset } = wanted;
  const found = rowsOf(db)
    .where('scheduled_changes.organization_id', '=', organizationId)
    .where('scheduled_changes.project_id', '=', projectId)
    .$if(environmentId !== undefined, (query) => query.where('environment_id', '=', environmentId!))
    .$if(statuses !== undefined, (query) => query.where('scheduled_changes.status', 'in', statuses!));
  const { total } = await found
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await found
    .orderBy('execute_at')
    .orderBy('scheduled_changes.id')
    .limit(limit)
    .offset(offset)
    .execute();
  return { total: Number(total), rows };
}

export async function findScheduledChange(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ScheduledChangeRow | undefined> {
  return rowsOf(db)
    .where('scheduled_changes.organization_id', '=', organizationId)
    .where('scheduled_changes.id', '=', id)
    .executeTakeFirst();
}

/** The due changes of all organizations, including blocked ones, in the order of their times. */
export async function listDue(db: Queryable, at: string): Promise<readonly ScheduledChangeRow[]> {
  return rowsOf(db)
    .where('scheduled_changes.status', 'in', ['pending', 'blocked'])
    .where('execute_at', '<=', at)
    .orderBy('execute_at')
    .orderBy('scheduled_changes.id')
    .execute();
}

const rowsOf = (db: Queryable) =>
  db
    .selectFrom('scheduled_changes')
    .innerJoin('flags', 'flags.id', 'scheduled_changes.flag_id')
    .selectAll('scheduled_changes')
    .select('flags.key as flag_key');

export async function insertScheduledChange(tx: Tx, row: ScheduledChangeRow): Promise<void> {
  const { flag_key: _, ...columns } = row;
  await tx.insertInto('scheduled_changes').values(columns).execute();
}

export async function updateScheduledChange(tx: Tx, row: ScheduledChangeRow): Promise<void> {
  const { organization_id: _, flag_key: __, id, ...columns } = row;
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
