import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { EnvironmentTable } from '../../../storage/tables.ts';

/** An environment of a project that is not archived. */
export interface EnvironmentRow extends EnvironmentTable {
  /** Null only inside the transaction that creates the environment. */
  readonly ruleset_version: number | null;
  readonly etag: string | null;
}

function environments(db: Queryable, organizationId: string) {
  return db
    .selectFrom('environments')
    .innerJoin('projects', 'projects.id', 'environments.project_id')
    .leftJoin('rulesets', 'rulesets.environment_id', 'environments.id')
    .selectAll('environments')
    .select(['rulesets.version as ruleset_version', 'rulesets.etag'])
    .where('environments.organization_id', '=', organizationId)
    .where('projects.archived_at', 'is', null);
}

/** Finds an environment, archived or not. */
export async function findEnvironment(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<EnvironmentRow | undefined> {
  return environments(db, organizationId).where('environments.id', '=', id).executeTakeFirst();
}

/**
 * The environments of a project, archived ones included, by position. Changes of flags reach archived environments too,
 * so that a restored one serves what the flags are now.
 */
export async function listEnvironments(
  db: Queryable,
  organizationId: string,
  projectId: string,
): Promise<readonly EnvironmentRow[]> {
  return environments(db, organizationId)
    .where('environments.project_id', '=', projectId)
    .orderBy('environments.position')
    .orderBy('environments.id')
    .execute();
}

/** Keys of a project's environments by id, in the order of their positions. */
export async function listEnvironmentKeys(
  db: Queryable,
  organizationId: string,
  projectId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await listEnvironments(db, organizationId, projectId);
  return new Map(rows.map((row) => [row.id, row.key]));
}

export async function listEnvironmentIds(
  db: Queryable,
  organizationId: string,
  projectId: string,
): Promise<readonly string[]> {
  return (await listEnvironments(db, organizationId, projectId)).map((row) => row.id);
}

export type ListEnvironmentIds = typeof listEnvironmentIds;

/**
 * Inserts an environment and a configuration of every flag of the project: copied from the environment `copyOf`, else
 * switched off.
 */
export async function insertEnvironment(tx: Tx, row: EnvironmentTable, copyOf?: string): Promise<void> {
  await tx.insertInto('environments').values(row).execute();
  const [enabled, rules, prerequisites] =
    copyOf === undefined
      ? [sql`0`, sql`'[]'`, sql`'[]'`]
      : [sql`source.enabled`, sql`source.rules_json`, sql`source.prerequisites_json`];
  const chosen =
    copyOf === undefined
      ? sql`source.environment_id = (select min(environment_id) from flag_environments where flag_id = flags.id)`
      : sql`source.environment_id = ${copyOf}`;
  await sql`
    insert into flag_environments (organization_id, flag_id, environment_id, enabled, default_variation,
      rules_json, prerequisites_json, revision, updated_at)
    select flags.organization_id, flags.id, ${row.id}, ${enabled}, source.default_variation,
      ${rules}, ${prerequisites}, 0, ${row.created_at}
    from flags join flag_environments as source on source.flag_id = flags.id
    where flags.project_id = ${row.project_id} and ${chosen}`.execute(tx);
}

/** Gives the environments the positions 0, 1, 2 … in this order. */
export async function updatePositions(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const [position, id] of ids.entries())
    await tx.updateTable('environments').set({ position }).where('id', '=', id).execute();
}

export async function updateEnvironment(tx: Tx, row: EnvironmentTable): Promise<void> {
  const { name, type, color, position, critical, revision, updated_at } = row;
  const { require_comment, confirm_changes, record_contexts, archived_at } = row;
  const settings = { critical, require_comment, confirm_changes, record_contexts };
  await tx
    .updateTable('environments')
    .set({ name, type, color, position, ...settings, revision, updated_at, archived_at })
    .where('id', '=', row.id)
    .execute();
}

/** Deletes an environment with its flag configurations, API keys and ruleset. */
export async function deleteEnvironment(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('environments').where('id', '=', id).execute();
}

/** How many API keys of the environment are neither revoked nor expired. */
export async function countActiveKeys(db: Queryable, environmentId: string, at: string): Promise<number> {
  const row = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('environment_id', '=', environmentId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .executeTakeFirstOrThrow();
  return row.total;
}
