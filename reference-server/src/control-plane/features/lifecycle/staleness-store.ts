import { setImmediate } from 'node:timers/promises';
import type { Queryable } from '../../../storage/database.ts';
import type { StaleConfig } from './staleness.ts';

export interface ProjectRef {
  readonly id: string;
  readonly organizationId: string;
  readonly settingsJson: string;
}

/** Every project that is not archived. */
export async function listProjectRefs(db: Queryable): Promise<readonly ProjectRef[]> {
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'organization_id', 'settings_json'])
    .where('archived_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    settingsJson: row.settings_json,
  }));
}

/** The columns of a flag that the nightly job uses. */
export interface CandidateRow {
  readonly id: string;
  readonly key: string;
  readonly classification: string | null;
  readonly created_at: string;
  readonly expected_end_at: string | null;
  readonly stale_since: string | null;
  readonly stale_after_days: number | null;
  readonly stale_snoozed_until: string | null;
}

/** The flags with a status that are not permanent, oldest first. */
export async function listCandidates(
  db: Queryable,
  projectId: string,
  status: 'active' | 'stale',
): Promise<readonly CandidateRow[]> {
  return db
    .selectFrom('flags')
    .select(['id', 'key', 'classification', 'created_at', 'expected_end_at'])
    .select(['stale_since', 'stale_after_days', 'stale_snoozed_until'])
    .where('project_id', '=', projectId)
    .where('status', '=', status)
    .where('permanent', '=', 0)
    .orderBy('id')
    .execute();
}

/** The configurations of a project's active flags, by flag id. */
export async function listStaleConfigs(
  db: Queryable,
  projectId: string,
): Promise<ReadonlyMap<string, readonly StaleConfig[]>> {
  const environments = await db
    .selectFrom('environments')
    .select(['id', 'type'])
    .where('project_id', '=', projectId)
    .execute();
  const configs = new Map<string, StaleConfig[]>();
  for (const { id, type } of environments) {
    // Parsing thousands of rows would block other requests.
    await setImmediate();
    const rows = await db
      .selectFrom('flag_environments')
      .innerJoin('flags', 'flags.id', 'flag_environments.flag_id')
      .select(['flags.id', 'enabled', 'default_variation', 'rules_json', 'prerequisites_json'])
      .select('flag_environments.updated_at')
      .where('flag_environments.environment_id', '=', id)
      .where('flags.status', '=', 'active')
      .execute();
    for (const row of rows) {
      const own = configs.get(row.id) ?? [];
      configs.set(row.id, own);
      own.push({
        environmentType: type,
        enabled: row.enabled === 1,
        defaultVariation: row.default_variation,
        rules: JSON.parse(row.rules_json) as StaleConfig['rules'],
        hasPrerequisites: row.prerequisites_json !== '[]',
        updatedAt: Date.parse(row.updated_at),
      });
    }
  }
  return configs;
}

/** For each flag key, the start of the last hour in which any environment evaluated it, in milliseconds since 1970. */
export async function lastEvaluations(
  db: Queryable,
  projectId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('flags')
    .innerJoin('flag_environments', 'flag_environments.flag_id', 'flags.id')
    .innerJoin('environments', 'environments.id', 'flag_environments.environment_id')
    .select((eb) => ['flags.key', eb.fn.max('flag_environments.last_evaluated_at').as('hour')])
    .where('flags.project_id', '=', projectId)
    .where('environments.archived_at', 'is', null)
    .where('flag_environments.last_evaluated_at', 'is not', null)
    .groupBy('flags.key')
    .execute();
  return new Map(rows.map(({ key, hour }) => [key, Date.parse(hour!)]));
}

/** The production environments of a project that are in use. */
export async function listProductionIds(db: Queryable, projectId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', projectId)
    .where('type', '=', 'production')
    .where('archived_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** When the last audit entry with an action was written about a flag; undefined when there is none. */
export async function lastEntry(
  db: Queryable,
  { organizationId, flagId, action }: { organizationId: string; flagId: string; action: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('audit_entries')
    .select('created_at')
    .where('organization_id', '=', organizationId)
    .where('resource_id', '=', flagId)
    .where('action', '=', action)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row?.created_at;
}
