import type { Queryable, Tx } from '../../../storage/database.ts';
import type { BreakGlassTable } from '../../../storage/tables.ts';

/** A break-glass session, with the time at which its login was revoked. */
export interface BreakGlassRow extends BreakGlassTable {
  readonly session_revoked_at: string | null;
}

function sessions(db: Queryable) {
  return db
    .selectFrom('break_glass')
    .leftJoin('sessions', 'sessions.id', 'break_glass.session_id')
    .selectAll('break_glass')
    .select('sessions.revoked_at as session_revoked_at');
}

export async function findBreakGlass(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<BreakGlassRow | undefined> {
  return sessions(db)
    .where('break_glass.organization_id', '=', organizationId)
    .where('break_glass.id', '=', id)
    .executeTakeFirst();
}

/** The sessions of an organization, newest first. */
export async function listBreakGlass(
  db: Queryable,
  organizationId: string,
): Promise<readonly BreakGlassRow[]> {
  return sessions(db)
    .where('break_glass.organization_id', '=', organizationId)
    .orderBy('break_glass.id', 'desc')
    .execute();
}

/** The unreviewed sessions of all organizations, including open sessions. */
export async function listUnreviewed(db: Queryable): Promise<readonly BreakGlassRow[]> {
  return sessions(db).where('break_glass.reviewed_at', 'is', null).orderBy('break_glass.id').execute();
}

export async function insertBreakGlass(tx: Tx, row: BreakGlassTable): Promise<void> {
  await tx.insertInto('break_glass').values(row).execute();
}

export async function updateBreakGlass(tx: Tx, row: BreakGlassTable): Promise<void> {
  const { id, scope_json, closed_at, close_reason, uses_count, revision, overdue_noticed_at } = row;
  const { reviewed_by, reviewed_by_email, reviewed_at, outcome, review_note } = row;
  await tx
    .updateTable('break_glass')
    .set({ scope_json, closed_at, close_reason, uses_count, revision, overdue_noticed_at })
    .set({ reviewed_by, reviewed_by_email, reviewed_at, outcome, review_note })
    .where('id', '=', id)
    .execute();
}

/** A project of a scope, for a link to a page: the one that it names, else that of its first environment, else any. */
export async function findProjectOf(
  db: Queryable,
  organizationId: string,
  scope: { readonly project_ids: readonly string[]; readonly environment_ids: readonly string[] },
): Promise<string | undefined> {
  const projects = db
    .selectFrom('projects')
    .select('projects.id')
    .where('projects.organization_id', '=', organizationId)
    .where('projects.archived_at', 'is', null)
    .orderBy('projects.id');
  const { project_ids, environment_ids } = scope;
  const inScope =
    project_ids.length > 0
      ? projects.where('projects.id', 'in', project_ids)
      : environment_ids.length > 0
        ? projects.where('projects.id', 'in', (eb) =>
            eb
              .selectFrom('environments')
              .select('project_id')
              .where('environments.id', 'in', environment_ids),
          )
        : projects;
  return (await inScope.executeTakeFirst())?.id;
}
