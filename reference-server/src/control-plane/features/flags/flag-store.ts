import type { Queryable, Tx } from '../../../storage/database.ts';
import { type ConfigRow, type FlagRow, type FlagState, readFlag } from './flag-state.ts';

/** The configuration of a flag in one environment. */
export interface FlagConfig {
  readonly flagId: string;
  readonly flagKey: string;
  readonly environmentId: string;
  readonly defaultVariation: string;
  readonly rules: FlagState['rules'];
  readonly prerequisites: FlagState['prerequisites'];
}

/** A flag that has another one as a prerequisite. */
export interface Dependent {
  readonly flag_id: string;
  readonly flag_key: string;
  readonly environment_id: string;
  /** The variation that the prerequisite must serve. */
  readonly variation: string;
}

/** The columns of a flag's state that are not in the table `flags`. */
const CONFIG_COLUMNS = [
  'flag_environments.environment_id',
  'flag_environments.enabled',
  'flag_environments.default_variation',
  'flag_environments.rules_json',
  'flag_environments.prerequisites_json',
  'flag_environments.last_evaluated_at',
  'flag_environments.revision as config_revision',
  'flag_environments.updated_at as config_updated_at',
] as const;

export type JoinedRow = FlagRow &
  Omit<ConfigRow, 'flag_id' | 'organization_id' | 'revision' | 'updated_at'> & {
    config_revision: number;
    config_updated_at: string;
    last_evaluated_at: string | null;
  };

export function toState(row: JoinedRow): FlagState {
  return readFlag(row, {
    ...row,
    flag_id: row.id,
    revision: row.config_revision,
    updated_at: row.config_updated_at,
  });
}

/** Selects the flags of an environment, with all columns of a state. */
export function statesIn(db: Queryable, organizationId: string, environmentId: string) {
  return db
    .selectFrom('flags')
    .innerJoin('flag_environments', 'flag_environments.flag_id', 'flags.id')
    .selectAll('flags')
    .select(CONFIG_COLUMNS)
    .where('flags.organization_id', '=', organizationId)
    .where('flag_environments.environment_id', '=', environmentId);
}

/**
 * Finds a flag in an environment; undefined also when the flag belongs to another organization, or to another project
 * than the environment.
 */
export async function findFlag(
  db: Queryable,
  {
    organizationId,
    flagId,
    environmentId,
  }: { organizationId: string; flagId: string; environmentId: string },
): Promise<FlagState | undefined> {
  const row = await statesIn(db, organizationId, environmentId)
    .where('flags.id', '=', flagId)
    .executeTakeFirst();
  return row && toState(row);
}

/** The flags with these keys in one environment, including archived ones. */
export async function listStatesByKey(
  db: Queryable,
  {
    organizationId,
    projectId,
    environmentId,
  }: Pick<FlagState, 'organizationId' | 'projectId' | 'environmentId'>,
  keys: readonly string[],
): Promise<readonly FlagState[]> {
  if (keys.length === 0) return [];
  const rows = await statesIn(db, organizationId, environmentId)
    .where('flags.project_id', '=', projectId)
    .where('flags.key', 'in', keys)
    .execute();
  return rows.map(toState);
}

/** Every flag of an environment by key, including archived ones. */
export async function listAllStates(
  db: Queryable,
  organizationId: string,
  environmentId: string,
): Promise<readonly FlagState[]> {
  const rows = await statesIn(db, organizationId, environmentId).orderBy('flags.key').execute();
  return rows.map(toState);
}

/** Every flag of an environment by key, without archived flags. */
export async function listStatesIn(
  db: Queryable,
  organizationId: string,
  environmentId: string,
): Promise<readonly FlagState[]> {
  const rows = await statesIn(db, organizationId, environmentId)
    .where('flags.status', '!=', 'archived')
    .orderBy('flags.key')
    .execute();
  return rows.map(toState);
}

/** Keys of the flags that are disabled in an environment. */
export async function listDisabledKeys(db: Queryable, environmentId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('flags')
    .innerJoin('flag_environments', 'flag_environments.flag_id', 'flags.id')
    .select('flags.key')
    .where('flag_environments.environment_id', '=', environmentId)
    .where('flag_environments.enabled', '=', 0)
    .execute();
  return new Set(rows.map((row) => row.key));
}

/** The flag that has a key, in any status. */
export async function findKeyOwner(
  db: Queryable,
  projectId: string,
  key: string,
): Promise<{ readonly id: string; readonly status: string } | undefined> {
  return db
    .selectFrom('flags')
    .select(['id', 'status'])
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** The time until which the key of a deleted flag is reserved; undefined when the key is free. */
export async function findReservation(
  db: Queryable,
  { projectId, key, at }: { projectId: string; key: string; at: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('reserved_keys')
    .select('reserved_until')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .where('reserved_until', '>', at)
    .executeTakeFirst();
  return row?.reserved_until;
}

/** The flag with this key in the project of the environment, in any status. */
export async function findFlagByKey(
  db: Queryable,
  { organizationId, key, environmentId }: { organizationId: string; key: string; environmentId: string },
): Promise<FlagState | undefined> {
  const row = await statesIn(db, organizationId, environmentId)
    .where('flags.project_id', '=', (eb) =>
      eb.selectFrom('environments').select('project_id').where('id', '=', environmentId),
    )
    .where('flags.key', '=', key)
    .executeTakeFirst();
  return row && toState(row);
}

/** One flag in each environment of its project, archived ones included, by position. */
export async function listStates(
  db: Queryable,
  organizationId: string,
  flagId: string,
): Promise<readonly FlagState[]> {
  return (await statesOf(db, organizationId, flagId).execute()).map(toState);
}

/** One flag in each environment that is in use, by position. */
export async function listStatesInUse(
  db: Queryable,
  organizationId: string,
  flagId: string,
): Promise<readonly FlagState[]> {
  const states = statesOf(db, organizationId, flagId).where('environments.archived_at', 'is', null);
  return (await states.execute()).map(toState);
}

function statesOf(db: Queryable, organizationId: string, flagId: string) {
  return db
    .selectFrom('flags')
    .innerJoin('flag_environments', 'flag_environments.flag_id', 'flags.id')
    .innerJoin('environments', 'environments.id', 'flag_environments.environment_id')
    .innerJoin('projects', 'projects.id', 'flags.project_id')
    .selectAll('flags')
    .select(CONFIG_COLUMNS)
    .where('flags.organization_id', '=', organizationId)
    .where('flags.id', '=', flagId)
    .where('projects.archived_at', 'is', null)
    .orderBy('environments.position')
    .orderBy('environments.id');
}

export type ListStates = typeof listStates;

export async function countFlags(db: Queryable, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('flags')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return row.total;
}

/** Variation keys by flag key. Leaves out unknown flags, and archived ones unless `allowArchived` is true. */
export async function findVariationKeys(
  db: Queryable,
  {
    projectId,
    flagKeys,
    allowArchived = false,
  }: {
    readonly projectId: string;
    readonly flagKeys: readonly string[];
    readonly allowArchived?: boolean;
  },
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (flagKeys.length === 0) return new Map();
  let query = db
    .selectFrom('flags')
    .select(['key', 'variations_json'])
    .where('project_id', '=', projectId)
    .where('key', 'in', flagKeys);
  if (!allowArchived) query = query.where('status', '!=', 'archived');
  const rows = await query.execute();
  return new Map(
    rows.map((row) => [
      row.key,
      (JSON.parse(row.variations_json) as { key: string }[]).map((variation) => variation.key),
    ]),
  );
}

/** The configurations of one flag in all environments. */
export async function listConfigs(db: Queryable, flagId: string): Promise<readonly FlagConfig[]> {
  const rows = await selectConfigs(db).where('flags.id', '=', flagId).execute();
  return rows.map(toConfig);
}

/** The configurations with prerequisites in a project, or in one of its environments. */
export async function listConfigsWithPrerequisites(
  db: Queryable,
  projectId: string,
  environmentId?: string,
): Promise<readonly FlagConfig[]> {
  let query = selectConfigs(db)
    .where('flags.project_id', '=', projectId)
    .where('flags.status', '!=', 'archived')
    .where('flag_environments.prerequisites_json', '!=', '[]');
  if (environmentId !== undefined) {
    query = query.where('flag_environments.environment_id', '=', environmentId);
  }
  return (await query.execute()).map(toConfig);
}

/** The flags of a project that have `flagKey` as a prerequisite, one entry per environment. */
export async function listDependents(
  db: Queryable,
  projectId: string,
  flagKey: string,
): Promise<readonly Dependent[]> {
  const configs = await listConfigsWithPrerequisites(db, projectId);
  return configs.flatMap((config) =>
    config.prerequisites
      .filter((prerequisite) => prerequisite.flag_key === flagKey)
      .map(({ variation }) => ({
        flag_id: config.flagId,
        flag_key: config.flagKey,
        environment_id: config.environmentId,
        variation,
      })),
  );
}

/** Selects configurations; `toConfig` reads a row. */
export function selectConfigs(db: Queryable) {
  return db
    .selectFrom('flag_environments')
    .innerJoin('flags', 'flags.id', 'flag_environments.flag_id')
    .select([
      'flags.id',
      'flags.key',
      'flag_environments.environment_id',
      'flag_environments.default_variation',
      'flag_environments.rules_json',
      'flag_environments.prerequisites_json',
    ]);
}

export function toConfig(row: {
  id: string;
  key: string;
  environment_id: string;
  default_variation: string;
  rules_json: string;
  prerequisites_json: string;
}): FlagConfig {
  return {
    flagId: row.id,
    flagKey: row.key,
    environmentId: row.environment_id,
    defaultVariation: row.default_variation,
    rules: JSON.parse(row.rules_json) as FlagConfig['rules'],
    prerequisites: JSON.parse(row.prerequisites_json) as FlagConfig['prerequisites'],
  };
}

/** Inserts a flag and its configuration in each environment. */
export async function insertFlag(tx: Tx, flag: FlagRow, configurations: readonly ConfigRow[]): Promise<void> {
  await tx.insertInto('flags').values(flag).execute();
  await tx.insertInto('flag_environments').values(configurations).execute();
}

export async function updateFlag(tx: Tx, { id, ...columns }: FlagRow): Promise<void> {
  await tx.updateTable('flags').set(columns).where('id', '=', id).execute();
}

export async function updateConfig(tx: Tx, config: ConfigRow): Promise<void> {
  const { flag_id, environment_id, ...columns } = config;
  await tx
    .updateTable('flag_environments')
    .set(columns)
    .where('environment_id', '=', environment_id)
    .where('flag_id', '=', flag_id)
    .execute();
}
