import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ProjectTable } from '../../../storage/tables.ts';

export interface ProjectRow extends ProjectTable {
  readonly environments_count: number;
  readonly flags_count: number;
}

/** Selects projects; by default those that are not archived. */
export interface ProjectScope {
  readonly archived?: boolean | undefined;
}

function projects(db: Queryable, organizationId: string, { archived = false }: ProjectScope) {
  return db
    .selectFrom('projects')
    .select(['id', 'organization_id', 'key', 'name', 'description', 'settings_json', 'tags_json'])
    .select(['revision', 'created_at', 'updated_at', 'archived_at'])
    .select([
      // The chosen environment, or the first one when none was chosen or the chosen one was archived or deleted.
      sql<string | null>`coalesce(
        (select id from environments where id = projects.default_environment_id and archived_at is null),
        (select id from environments where project_id = projects.id and archived_at is null
          order by position, id limit 1)
      )`.as('default_environment_id'),
      sql<number>`(
        select count(*) from environments where project_id = projects.id and archived_at is null
      )`.as('environments_count'),
      sql<number>`(select count(*) from flags where project_id = projects.id)`.as('flags_count'),
    ])
    .where('organization_id', '=', organizationId)
    .where('archived_at', archived ? 'is not' : 'is', null);
}

export async function findProject(
  db: Queryable,
  { organizationId, id, ...scope }: ProjectScope & { readonly organizationId: string; readonly id: string },
): Promise<ProjectRow | undefined> {
  return projects(db, organizationId, scope).where('id', '=', id).executeTakeFirst();
}

/** Projects, oldest first. */
export async function listProjects(
  db: Queryable,
  organizationId: string,
  { limit, offset, archived }: ProjectScope & { readonly limit: number; readonly offset: number },
): Promise<{ rows: readonly ProjectRow[]; total: number }> {
  const { total } = await db
    .selectFrom('projects')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('archived_at', archived === true ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  const rows = await projects(db, organizationId, { archived })
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total };
}

/** The project that has a key, archived or not. */
export async function findKeyOwner(
  db: Queryable,
  organizationId: string,
  key: string,
): Promise<{ readonly id: string; readonly archived_at: string | null } | undefined> {
  return db
    .selectFrom('projects')
    .select(['id', 'archived_at'])
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** Projects that were archived before a time. */
export async function listArchivedBefore(
  db: Queryable,
  before: string,
): Promise<readonly { readonly id: string; readonly organization_id: string }[]> {
  return db
    .selectFrom('projects')
    .select(['id', 'organization_id'])
    .where('archived_at', '<', before)
    .orderBy('id')
    .execute();
}

/** Deletes a project and everything in it except its audit entries. */
export async function deleteProject(tx: Tx, id: string): Promise<void> {
  for (const table of ['flags', 'segments', 'environments'] as const) {
    await tx.deleteFrom(table).where('project_id', '=', id).execute();
  }
  await tx.deleteFrom('projects').where('id', '=', id).execute();
}

export async function insertProject(tx: Tx, row: ProjectTable): Promise<void> {
  await tx.insertInto('projects').values(row).execute();
}

export async function updateProject(tx: Tx, row: ProjectTable): Promise<void> {
  const { name, description, tags_json, settings_json, default_environment_id } = row;
  const { revision, updated_at, archived_at } = row;
  await tx
    .updateTable('projects')
    .set({ name, description, tags_json, settings_json, default_environment_id })
    .set({ revision, updated_at, archived_at })
    .where('id', '=', row.id)
    .execute();
}
