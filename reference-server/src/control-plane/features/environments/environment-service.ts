import { ApiError, limitExceeded } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import { requireConfirmation } from '../../endpoint/confirm-key.ts';
import type { Change, ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { addEnvironment } from './add-environment.ts';
import { planArchive, planChange, planOrder, planRestore, requireOtherInUse } from './environment-plans.ts';
import {
  type CloneInput,
  cloneInput,
  columnsOf,
  ENVIRONMENTS_MAX,
  type EnvironmentInput,
  type EnvironmentRecord,
  environmentRow,
  fieldsOf,
  type NewEnvironment,
  resourceOf,
  toRecord,
} from './environment-state.ts';
import {
  countActiveKeys,
  deleteEnvironment,
  findEnvironment,
  listEnvironments,
} from './environment-store.ts';
import { requireEnvironment } from './require-environment.ts';

export interface EnvironmentService {
  /** The environments of a project, by position; `archived` lists the archived ones instead. */
  list(
    actor: Actor,
    wanted: { readonly projectId: string; readonly archived?: boolean | undefined },
  ): Promise<readonly EnvironmentRecord[]>;
  get(actor: Actor, id: string): Promise<EnvironmentRecord>;
  create(
    actor: Actor,
    wanted: { readonly projectId: string; readonly input: NewEnvironment },
    options: ChangeOptions,
  ): Promise<EnvironmentRecord>;
  /** The change that `create` applies, for use in a set of changes. */
  creation(actor: Actor, projectId: string, input: NewEnvironment): Change<EnvironmentRecord>;
  /**
   * Creates an environment in the same project with the settings of this one. Also copies the configuration of the
   * flags, unless `include` leaves it out. API keys are not copied.
   */
  clone(
    actor: Actor,
    wanted: { readonly id: string; readonly input: CloneInput },
    options: ChangeOptions,
  ): Promise<EnvironmentRecord>;
  update(
    actor: Actor,
    wanted: { readonly id: string; readonly input: EnvironmentInput },
    options: ChangeOptions,
  ): Promise<EnvironmentRecord>;
  /**
   * Puts the environments of a project into this order. Those that `ids` leaves out follow in the order that they had.
   */
  reorder(
    actor: Actor,
    wanted: { readonly projectId: string; readonly ids: readonly string[] },
    options: ChangeOptions,
  ): Promise<readonly EnvironmentRecord[]>;
  /** Hides an environment and disables its API keys at once. Throws RESOURCE_IN_USE for the last one in use. */
  archive(actor: Actor, id: string, options: ChangeOptions): Promise<EnvironmentRecord>;
  /** Restores an archived environment and its API keys. */
  restore(actor: Actor, id: string, options: ChangeOptions): Promise<EnvironmentRecord>;
  /**
   * Deletes an environment, archived or not. Throws VALIDATION_ERROR unless `confirmKey` repeats its key, and RESOURCE_IN_USE for the
   * last environment of a project that is in use.
   */
  remove(
    actor: Actor,
    wanted: { readonly id: string; readonly confirmKey: string },
    options: ChangeOptions,
  ): Promise<void>;
}

export interface EnvironmentServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly requireProject: RequireProject;
}

export function createEnvironmentService(deps: EnvironmentServiceDeps): EnvironmentService {
  const { db, gate, requireProject } = deps;

  const creation: EnvironmentService['creation'] = (actor, projectId, input) => ({
    action: 'environment.created',
    permission: 'environment.create',
    plan: (tx, at) => planNew(tx, deps, { actor, projectId, input, at }),
  });

  return {
    async list(actor, { projectId, archived = false }) {
      await requireProject(db, actor.organizationId, projectId);
      const rows = await listEnvironments(db, actor.organizationId, projectId);
      return rows.filter((row) => (row.archived_at !== null) === archived).map(toRecord);
    },

    async get(actor, id) {
      return toRecord(await requireEnvironment(db, actor.organizationId, id));
    },

    create: (actor, { projectId, input }, options) =>
      gate.applyChange(actor, creation(actor, projectId, input), options),

    creation,

    clone: (actor, { id, input }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.cloned',
          permission: 'environment.create',
          async plan(tx, at) {
            const source = await requireEnvironment(tx, actor.organizationId, id);
            const { include = ['flags'], ...given } = input;
            return planNew(tx, deps, {
              actor,
              projectId: source.project_id,
              input: cloneInput(source, given),
              at,
              ...(include.includes('flags') && { copyOf: id }),
            });
          },
        },
        options,
      ),

    update: (actor, { id, input }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.updated',
          permission: 'environment.update',
          plan: (tx, at) => planUpdate(tx, { actor, id, input, at }),
        },
        options,
      ),

    reorder: (actor, { projectId, ids }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.reordered',
          permission: 'environment.update',
          plan: (tx) => planOrder(tx, deps, { actor, projectId, ids }),
        },
        options,
      ),

    archive: (actor, id, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.archived',
          permission: 'environment.delete',
          plan: (tx, at) => planArchive(tx, { actor, id, at }),
        },
        options,
      ),

    restore: (actor, id, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.restored',
          permission: 'environment.delete',
          plan: (tx, at) => planRestore(tx, { actor, id, at }),
        },
        options,
      ),

    remove: (actor, { id, confirmKey }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.deleted',
          permission: 'environment.delete',
          plan: (tx) => planRemove(tx, { actor, id, confirmKey }),
        },
        options,
      ),
  };
}

async function planNew(
  tx: Tx,
  { newId, requireProject }: EnvironmentServiceDeps,
  of: { actor: Actor; projectId: string; input: NewEnvironment; at: string; copyOf?: string },
): Promise<Plan<EnvironmentRecord>> {
  const { actor, projectId, input, at, copyOf } = of;
  const { organizationId } = actor;
  await requireProject(tx, organizationId, projectId);
  const siblings = await listEnvironments(tx, organizationId, projectId);
  const { key } = input;
  if (siblings.some((sibling) => sibling.key === key)) {
    throw new ApiError('ENVIRONMENT_KEY_CONFLICT', { details: { key } });
  }
  if (siblings.length >= ENVIRONMENTS_MAX) {
    throw limitExceeded({ limit: 'environments', maximum: ENVIRONMENTS_MAX });
  }
  const position = siblings.length;
  const row = environmentRow(input, { id: newId('env'), organizationId, projectId, position, at });
  return {
    resource: resourceOf(row),
    before: null,
    after: { ...fieldsOf(row), ...(copyOf !== undefined && { copy_of: copyOf }) },
    write: () => addEnvironment(tx, row, copyOf),
  };
}

async function planUpdate(
  tx: Tx,
  { actor, id, input, at }: { actor: Actor; id: string; input: EnvironmentInput; at: string },
): Promise<Plan<EnvironmentRecord>> {
  const before = await requireEnvironment(tx, actor.organizationId, id);
  const wanted = { ...before, ...columnsOf(input) };
  if (wanted.type !== before.type && (await countActiveKeys(tx, id, at)) > 0) {
    throw new ApiError('RESOURCE_IN_USE', {
      message:
        'The type cannot change while the environment has active API keys, because their prefix names the type.',
      details: { resource: 'api_keys' },
    });
  }
  return planChange(tx, { before, wanted, at });
}

async function planRemove(
  tx: Tx,
  { actor, id, confirmKey }: { actor: Actor; id: string; confirmKey: string },
): Promise<Plan<void>> {
  const before = await findEnvironment(tx, actor.organizationId, id);
  if (before === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
  requireConfirmation(before.key, confirmKey);
  if (before.archived_at === null) await requireOtherInUse(tx, before);
  return {
    resource: resourceOf(before),
    before: fieldsOf(before),
    after: null,
    revision: before.revision,
    reach: { apiKeyIds: 'all' },
    write: () => deleteEnvironment(tx, id),
  };
}
