import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { EnvironmentTable } from '../../../storage/tables.ts';

/** An environment of a project that is not archived. */
export interface EnvironmentRow extends EnvironmentTable {
  /** Null before the ruleset's first version; it has one from the environment's first moment. */
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

export async function findEnvironment(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<EnvironmentRow | undefined> {
  return environments(db, organizationId).where('environments.id', '=', id).executeTakeFirst();
}

/** In their order within the project. */
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

/**
 * Adds the environment, with a configuration of every flag of the project: a copy of another environment's, or
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

export async function updateEnvironment(tx: Tx, row: EnvironmentTable): Promise<void> {
  const { name, type, color, position, critical, revision, updated_at } = row;
  const { require_comment, confirm_changes, record_contexts } = row;
  const settings = { critical, require_comment, confirm_changes, record_contexts };
  await tx
    .updateTable('environments')
    .set({ name, type, color, position, ...settings, revision, updated_at })
    .where('id', '=', row.id)
    .execute();
}

/** Removes it with its configurations of flags, its keys and its ruleset. */
export async function deleteEnvironment(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('environments').where('id', '=', id).execute();
}

/** Keys that still open the environment; their prefix names its type. */
export async function countLiveKeys(db: Queryable, environmentId: string, at: string): Promise<number> {
  const row = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('environment_id', '=', environmentId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .executeTakeFirstOrThrow();
  return row.total;
}
