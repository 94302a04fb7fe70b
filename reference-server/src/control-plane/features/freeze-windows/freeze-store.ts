import type { Queryable, Tx } from '../../../storage/database.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';

/** The freeze windows of an organization, newest first. */
export async function listFreezeWindows(
  db: Queryable,
  organizationId: string,
): Promise<readonly FreezeWindowTable[]> {
  return db
    .selectFrom('freeze_windows')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .execute();
}

/** The windows that are active at `at` or may become active later. */
export async function listLiveFreezeWindows(
  db: Queryable,
  organizationId: string,
  at: string,
): Promise<readonly FreezeWindowTable[]> {
  return db
    .selectFrom('freeze_windows')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .where((where) => where.or([where('final_end_at', 'is', null), where('final_end_at', '>', at)]))
    .orderBy('id')
    .execute();
}

export async function findFreezeWindow(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<FreezeWindowTable | undefined> {
  return db
    .selectFrom('freeze_windows')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertFreezeWindow(tx: Tx, row: FreezeWindowTable): Promise<void> {
  await tx.insertInto('freeze_windows').values(row).execute();
}

export async function updateFreezeWindow(tx: Tx, row: FreezeWindowTable): Promise<void> {
  const { organization_id: _, id, ...columns } = row;
  await tx.updateTable('freeze_windows').set(columns).where('id', '=', id).execute();
}

/** The fields of an environment that decide whether a scope covers it. */
export interface ScopedEnvironment {
  readonly id: string;
  readonly project_id: string;
  readonly type: string;
  readonly critical: 0 | 1;
}

export async function listScopedEnvironments(
  db: Queryable,
  organizationId: string,
  of: { readonly ids: readonly string[] } | { readonly projectId: string },
): Promise<readonly ScopedEnvironment[]> {
  const query = db
    .selectFrom('environments')
    .select(['id', 'project_id', 'type', 'critical'])
    .where('organization_id', '=', organizationId);
  return (
    'ids' in of ? query.where('id', 'in', of.ids) : query.where('project_id', '=', of.projectId)
  ).execute();
}
