import { ApiError, invalid } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import { requireConfirmation } from '../../endpoint/confirm-key.ts';
import type { ChangeOptions, Plan, Reach, WriteGate } from '../../write-gate/change.ts';
import { mapPlan } from '../../write-gate/map-plan.ts';
import type { AddEnvironment } from '../environments/add-environment.ts';
import { environmentRow, type NewEnvironment } from '../environments/environment-state.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import {
  columnsOf,
  fieldsOf,
  type NewProject,
  type ProjectPatch,
  type ProjectRecord,
  projectRow,
  RESTORABLE_MS,
  resourceOf,
  toRecord,
} from './project-state.ts';
import {
  findKeyOwner,
  findProject,
  insertProject,
  listProjects,
  type ProjectRow,
  updateProject,
} from './project-store.ts';
import { requireProject } from './require-project.ts';

export interface ProjectService {
  /** Projects, oldest first; `archived` lists the archived ones instead. */
  list(
    actor: Actor,
    range: { limit: number; offset: number; archived?: boolean },
  ): Promise<{ records: readonly ProjectRecord[]; total: number }>;
  get(actor: Actor, id: string): Promise<ProjectRecord>;
  create(actor: Actor, input: NewProject, options?: ChangeOptions): Promise<ProjectRecord>;
  update(
    actor: Actor,
    wanted: { readonly id: string; readonly patch: ProjectPatch },
    options: ChangeOptions,
  ): Promise<ProjectRecord>;
  /**
   * Hides the project and disables its API keys at once. Its key stays taken. Throws VALIDATION_ERROR unless
   * `confirmKey` is that key.
   */
  archive(
    actor: Actor,
    wanted: { readonly id: string; readonly confirmKey: string },
    options: ChangeOptions,
  ): Promise<void>;
  /** Restores an archived project and its API keys. Throws PROJECT_NOT_FOUND after 30 days. */
  restore(actor: Actor, id: string, options: ChangeOptions): Promise<ProjectRecord>;
}

export interface ProjectServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly addEnvironment: AddEnvironment;
  readonly requireEnvironment: RequireEnvironment;
}

const DEFAULT_ENVIRONMENTS: readonly NewEnvironment[] = [
  { key: 'development', name: 'Development', type: 'development' },
  { key: 'staging', name: 'Staging', type: 'staging' },
  { key: 'production', name: 'Production', type: 'production' },
];

export function createProjectService(deps: ProjectServiceDeps): ProjectService {
  const { db, gate, requireEnvironment } = deps;
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
          plan: (tx, at) => planCreate(tx, deps, { actor, input, at }),
        },
        options,
      ),

    update: (actor, { id, patch }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'project.updated',
          permission: 'project.update',
          async plan(tx, at) {
            const { organizationId } = actor;
            const before = await requireProject(tx, organizationId, id);
            const { default_environment_id: environmentId } = patch;
            if (environmentId !== undefined) {
              const environment = await requireEnvironment(tx, organizationId, environmentId);
              if (environment.project_id !== id) throw new ApiError('ENVIRONMENT_NOT_FOUND');
            }
            const wanted = { ...before, ...columnsOf(patch, before.settings_json) };
            return planUpdate(before, wanted, at);
          },
        },
        options,
      ),

    archive: (actor, { id, confirmKey }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'project.archived',
          permission: 'project.delete',
          async plan(tx, at) {
            const before = await requireProject(tx, actor.organizationId, id);
            requireConfirmation(before.key, confirmKey);
            const plan = planUpdate(before, { ...before, archived_at: at }, at);
            return mapPlan({ ...plan, reach: ALL_KEYS }, () => undefined);
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
            const before = await findProject(tx, {
              organizationId: actor.organizationId,
              id,
              archived: true,
            });
            const oldest = new Date(Date.parse(at) - RESTORABLE_MS).toISOString();
            if (before === undefined || before.archived_at! < oldest) throw new ApiError('PROJECT_NOT_FOUND');
            return { ...planUpdate(before, { ...before, archived_at: null }, at), reach: ALL_KEYS };
          },
        },
        options,
      ),
  };
}

async function planCreate(
  tx: Tx,
  { newId, addEnvironment }: ProjectServiceDeps,
  { actor, input, at }: { actor: Actor; input: NewProject; at: string },
): Promise<Plan<ProjectRecord>> {
  const { organizationId } = actor;
  await requireFreeKey(tx, organizationId, input.key);
  const id = newId('prj');
  const wanted = requireDistinctKeys(input.environments ?? DEFAULT_ENVIRONMENTS);
  const environments = wanted.map((environment, position) =>
    environmentRow(environment, { id: newId('env'), organizationId, projectId: id, position, at }),
  );
  const project = projectRow(input, { id, organizationId, environments, at });
  return {
    resource: resourceOf(project),
    before: null,
    after: { ...fieldsOf(project), environments: environments.map((row) => row.key) },
    async write() {
      await insertProject(tx, project);
      for (const row of environments) await addEnvironment(tx, row);
      return toRecord({ ...project, environments_count: environments.length, flags_count: 0 });
    },
  };
}

/** The API keys of all environments of the project stop or start working. */
const ALL_KEYS: Reach = { apiKeyIds: 'all' };

/** Throws PROJECT_KEY_CONFLICT, with the reason `archived` when an archived project has the key. */
async function requireFreeKey(tx: Tx, organizationId: string, key: string): Promise<void> {
  const owner = await findKeyOwner(tx, organizationId, key);
  if (owner === undefined) return;
  if (owner.archived_at === null) throw new ApiError('PROJECT_KEY_CONFLICT', { details: { key } });
  const restorableUntil = new Date(Date.parse(owner.archived_at) + RESTORABLE_MS).toISOString();
  throw new ApiError('PROJECT_KEY_CONFLICT', {
    message: 'An archived project has this key. Restore it, or wait until it is deleted.',
    details: { key, reason: 'archived', project_id: owner.id, restorable_until: restorableUntil },
  });
}

function requireDistinctKeys(wanted: readonly NewEnvironment[]): readonly NewEnvironment[] {
  if (new Set(wanted.map(({ key }) => key)).size < wanted.length) {
    throw invalid({
      field: 'environments',
      location: 'body',
      code: 'duplicate',
      message: 'must not repeat a key',
    });
  }
  return wanted;
}

function planUpdate(before: ProjectRow, wanted: ProjectRow, at: string): Plan<ProjectRecord> {
  const changed = JSON.stringify(wanted) !== JSON.stringify(before);
  const after = changed ? { ...wanted, revision: before.revision + 1, updated_at: at } : before;
  return {
    resource: resourceOf(before),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: before.revision,
    isNoOp: !changed,
    async write(tx) {
      await updateProject(tx, after);
      return toRecord(after);
    },
  };
}
