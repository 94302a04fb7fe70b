import { ApiError, invalid } from '../../../http/errors.ts';
import { knownFields } from '../../../http/known-fields.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { EnvironmentTable, ProjectTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/authorize.ts';
import { requireConfirmation } from '../../endpoint/confirm-key.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/gate.ts';
import type * as Environments from '../environments/environment-service.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import {
  checkSettingsPatch,
  type ProjectSettings,
  ProjectSettingsPatch,
  readSettings,
  readSettingsPatch,
} from './project-settings.ts';
import {
  findKeyOwner,
  findProject,
  insertProject,
  listProjects,
  type ProjectRow,
  updateProject,
} from './project-store.ts';
import { requireProject } from './require-project.ts';

/** A project as the API shows it. */
export interface ProjectRecord {
  readonly id: string;
  readonly organization_id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly default_environment_id: string | null;
  readonly settings: ProjectSettings;
  /** Null unless it is archived; restorable for 30 days from then. */
  readonly archived_at: string | null;
  readonly environments_count: number;
  readonly flags_count: number;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface NewProject {
  readonly key: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly settings?: ProjectSettingsPatch | undefined;
  /** Default: development, staging and production. */
  readonly environments?: readonly Environments.NewEnvironment[] | undefined;
}

export interface ProjectPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly default_environment_id?: string | undefined;
  /** What is given replaces what was; the rest keeps its value. */
  readonly settings?: ProjectSettingsPatch | undefined;
}

export interface ProjectService {
  /** The oldest first; archived ones only when asked for, and then only those. */
  list(
    actor: Actor,
    range: { limit: number; offset: number; archived?: boolean },
  ): Promise<{ records: readonly ProjectRecord[]; total: number }>;
  get(actor: Actor, id: string): Promise<ProjectRecord>;
  create(actor: Actor, input: NewProject, options?: ChangeOptions): Promise<ProjectRecord>;
  update(actor: Actor, id: string, patch: ProjectPatch, options: ChangeOptions): Promise<ProjectRecord>;
  /** Hides the project and stops its keys at once. `confirmKey` must repeat its key, which stays reserved. */
  archive(actor: Actor, id: string, confirmKey: string, options: ChangeOptions): Promise<void>;
  /** Brings an archived project back with its keys. Throws PROJECT_NOT_FOUND after 30 days. */
  restore(actor: Actor, id: string, options: ChangeOptions): Promise<ProjectRecord>;
}

export interface ProjectDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly environments: Pick<typeof Environments, 'addEnvironment' | 'environmentRow'> & {
    readonly requireEnvironment: RequireEnvironment;
  };
}

/** How long an archived project can be brought back. */
export const RESTORABLE_MS = 30 * DAY_MS;

const DEFAULT_ENVIRONMENTS: readonly Environments.NewEnvironment[] = [
  { key: 'development', name: 'Development', type: 'development' },
  { key: 'staging', name: 'Staging', type: 'staging' },
  { key: 'production', name: 'Production', type: 'production' },
];

export function createProjectService({ db, gate, newId, environments }: ProjectDeps): ProjectService {
  return {
    async list(actor, range) {
      const { rows, total } = await listProjects(db, actor.organizationId, range);
      return { records: rows.map(toRecord), total };
    },

    async get(actor, id) {
      return toRecord(await requireProject(db, actor.organizationId, id));
    },

    create: (actor, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'project.created',
          permission: 'project.create',
          async plan(tx, at) {
            const { organizationId } = actor;
            await requireFreeKey(tx, organizationId, input.key);
            const projectId = newId('prj');
            const planned = requireDistinctKeys(input.environments ?? DEFAULT_ENVIRONMENTS);
            const rows = planned.map((environment, position) =>
              environments.environmentRow(environment, {
                id: newId('env'),
                organizationId,
                projectId,
                position,
                at,
              }),
            );
            const project = projectRow(input, { id: projectId, organizationId, rows, at });
            return {
              resource: { type: 'project', id: projectId, key: input.key, projectId },
              before: null,
              after: { ...fieldsOf(project), environments: rows.map((row) => row.key) },
              async write() {
                await insertProject(tx, project);
                for (const row of rows) await environments.addEnvironment(tx, row);
                return toRecord({ ...project, environments_count: rows.length, flags_count: 0 });
              },
            };
          },
        },
        options,
      ),

    update: (actor, id, patch, options) =>
      gate.applyChange(
        actor,
        {
          action: 'project.updated',
          permission: 'project.update',
          async plan(tx, at) {
            const before = await requireProject(tx, actor.organizationId, id);
            if (patch.default_environment_id !== undefined) {
              await requireOwnEnvironment(tx, before, patch.default_environment_id);
            }
            return planUpdate(tx, before, { ...before, ...columnsOf(patch, before.settings_json) }, at);
          },
        },
        options,
      ),

    archive: (actor, id, confirmKey, options) =>
      gate.applyChange(
        actor,
        {
          action: 'project.archived',
          permission: 'project.delete',
          async plan(tx, at) {
            const before = await requireProject(tx, actor.organizationId, id);
            requireConfirmation(before.key, confirmKey);
            const plan = planUpdate(tx, before, { ...before, archived_at: at }, at);
            return { ...plan, apiKeyIds: 'all', write: async () => void (await plan.write()) };
          },
        },
        options,
      ),

    restore: (actor, id, options) =>
      gate.applyChange(
        actor,
        {
          action: 'project.restored',
          permission: 'project.delete',
          async plan(tx, at) {
            const before = await findProject(tx, actor.organizationId, id, { archived: true });
            const oldest = new Date(Date.parse(at) - RESTORABLE_MS).toISOString();
            if (before === undefined || before.archived_at! < oldest) throw new ApiError('PROJECT_NOT_FOUND');
            return { ...planUpdate(tx, before, { ...before, archived_at: null }, at), apiKeyIds: 'all' };
          },
        },
        options,
      ),
  };

  async function requireOwnEnvironment(tx: Tx, project: ProjectTable, environmentId: string): Promise<void> {
    const environment = await environments.requireEnvironment(tx, project.organization_id, environmentId);
    if (environment.project_id !== project.id) throw new ApiError('ENVIRONMENT_NOT_FOUND');
  }
}

/** Throws PROJECT_KEY_CONFLICT, and says when it is an archived project that has the key. */
async function requireFreeKey(tx: Tx, organizationId: string, key: string): Promise<void> {
  const owner = await findKeyOwner(tx, organizationId, key);
  if (owner === undefined) return;
  if (owner.archived_at === null) throw new ApiError('PROJECT_KEY_CONFLICT', { details: { key } });
  const restorableUntil = new Date(Date.parse(owner.archived_at) + RESTORABLE_MS).toISOString();
  throw new ApiError('PROJECT_KEY_CONFLICT', {
    message: 'An archived project has this key; it can be restored, and goes for good when its time is up.',
    details: { key, reason: 'archived', project_id: owner.id, restorable_until: restorableUntil },
  });
}

function requireDistinctKeys(
  wanted: readonly Environments.NewEnvironment[],
): readonly Environments.NewEnvironment[] {
  if (new Set(wanted.map((one) => one.key)).size < wanted.length) {
    throw invalid({
      field: 'environments',
      location: 'body',
      code: 'duplicate',
      message: 'must not repeat a key',
    });
  }
  return wanted;
}

function planUpdate(tx: Tx, before: ProjectRow, after: ProjectRow, at: string) {
  const changed = JSON.stringify(after) !== JSON.stringify(before);
  const row = changed ? { ...after, revision: before.revision + 1, updated_at: at } : before;
  return {
    resource: { type: 'project', id: before.id, key: before.key, projectId: before.id },
    before: fieldsOf(before),
    after: fieldsOf(row),
    revision: before.revision,
    isNothing: !changed,
    async write() {
      await updateProject(tx, row);
      return toRecord(row);
    },
  };
}

function projectRow(
  input: NewProject,
  of: { id: string; organizationId: string; rows: readonly EnvironmentTable[]; at: string },
): ProjectTable {
  return {
    organization_id: of.organizationId,
    id: of.id,
    key: input.key,
    name: input.name,
    description: input.description ?? '',
    settings_json: settingsJson(input.settings, '{}'),
    tags_json: JSON.stringify([...new Set(input.tags ?? [])]),
    default_environment_id: of.rows[0]?.id ?? null,
    revision: 1,
    created_at: of.at,
    updated_at: of.at,
    archived_at: null,
  };
}

/** Only what was ever set is stored, so that a default can change. Throws REGEX_INVALID. */
function settingsJson(patch: ProjectSettingsPatch | undefined, stored: string): string {
  if (patch === undefined) return stored;
  checkSettingsPatch(patch);
  const { stale_policy: before = {}, ...rest } = readSettingsPatch(stored);
  const { stale_policy: policy = {}, ...given } = knownFields(ProjectSettingsPatch, patch);
  const lifetime_days = { ...before.lifetime_days, ...policy.lifetime_days };
  return JSON.stringify({ ...rest, ...given, stale_policy: { ...before, ...policy, lifetime_days } });
}

function columnsOf(
  { name, description, tags, default_environment_id, settings }: ProjectPatch,
  stored: string,
): Partial<ProjectTable> {
  return {
    ...(settings !== undefined && { settings_json: settingsJson(settings, stored) }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags_json: JSON.stringify([...new Set(tags)]) }),
    ...(default_environment_id !== undefined && { default_environment_id }),
  };
}

export function fieldsOf(row: ProjectTable) {
  const { key, name, description, default_environment_id, archived_at } = row;
  const tags = JSON.parse(row.tags_json) as readonly string[];
  const settings = readSettings(row.settings_json);
  return { key, name, description, tags, default_environment_id, settings, archived_at };
}

function toRecord(row: ProjectRow): ProjectRecord {
  const { id, organization_id, environments_count, flags_count, revision, created_at, updated_at } = row;
  return {
    id,
    organization_id,
    ...fieldsOf(row),
    environments_count,
    flags_count,
    revision,
    created_at,
    updated_at,
  };
}
