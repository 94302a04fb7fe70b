import { ApiError, limitExceeded } from '../../../http/errors.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { EnvironmentTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/authorize.ts';
import { requireConfirmation } from '../../endpoint/confirm-key.ts';
import type { Change, ChangeOptions, Plan, WriteGate } from '../../write-gate/gate.ts';
import { startRuleset } from '../../write-gate/ruleset-versions.ts';
import type { RequireProject } from '../projects/require-project.ts';
import {
  countLiveKeys,
  deleteEnvironment,
  type EnvironmentRow,
  insertEnvironment,
  listEnvironments,
  updateEnvironment,
} from './environment-store.ts';
import { requireEnvironment } from './require-environment.ts';

export const ENVIRONMENT_TYPES = ['development', 'staging', 'production'] as const;
export type EnvironmentType = (typeof ENVIRONMENT_TYPES)[number];

/** Environments a project may have (decision 0035). */
export const ENVIRONMENTS_MAX = 25;

const COLORS: Readonly<Record<EnvironmentType, string>> = {
  development: '#2f9e44',
  staging: '#f08c00',
  production: '#e03131',
};

/** An environment as the API shows it. */
export interface EnvironmentRecord {
  readonly id: string;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  readonly type: EnvironmentType;
  readonly color: string;
  readonly position: number;
  readonly critical: boolean;
  readonly require_comment: boolean;
  readonly confirm_changes: boolean;
  readonly record_contexts: boolean;
  readonly ruleset_version: number;
  readonly etag: string | null;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What may be said about an environment; what is absent keeps its value, or gets its type's default. */
export interface EnvironmentInput {
  readonly name?: string | undefined;
  readonly type?: EnvironmentType | undefined;
  readonly color?: string | undefined;
  readonly position?: number | undefined;
  /** Default true for production. */
  readonly critical?: boolean | undefined;
  readonly require_comment?: boolean | undefined;
  /** Default as `critical`. */
  readonly confirm_changes?: boolean | undefined;
  /** Default false, of copies too; switched off, it deletes what was recorded. */
  readonly record_contexts?: boolean | undefined;
}

export type NewEnvironment = EnvironmentInput & {
  readonly key: string;
  readonly name: string;
  readonly type: EnvironmentType;
};

/** A copy: its type is the source's, unless it is given. */
export type CloneInput = Omit<NewEnvironment, 'type'> & {
  readonly type?: EnvironmentType | undefined;
  /** What is copied of the source; default the flags. */
  readonly include?: readonly 'flags'[] | undefined;
};

export interface EnvironmentService {
  list(actor: Actor, projectId: string): Promise<readonly EnvironmentRecord[]>;
  get(actor: Actor, id: string): Promise<EnvironmentRecord>;
  create(
    actor: Actor,
    projectId: string,
    input: NewEnvironment,
    options: ChangeOptions,
  ): Promise<EnvironmentRecord>;
  /** The change that `create` makes, for whoever makes several at once. */
  creation(actor: Actor, projectId: string, input: NewEnvironment): Change<EnvironmentRecord>;
  /**
   * A new environment of the same project with the settings of this one and, unless it is to do without, every flag
   * configured as in this one; keys are not copied.
   */
  clone(actor: Actor, id: string, input: CloneInput, options: ChangeOptions): Promise<EnvironmentRecord>;
  update(
    actor: Actor,
    id: string,
    input: EnvironmentInput,
    options: ChangeOptions,
  ): Promise<EnvironmentRecord>;
  /** `confirmKey` must repeat the environment's key; the last environment of a project stays. */
  remove(actor: Actor, id: string, confirmKey: string, options: ChangeOptions): Promise<void>;
}

export interface EnvironmentDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly requireProject: RequireProject;
}

export function createEnvironmentService(deps: EnvironmentDeps): EnvironmentService {
  const { db, gate, newId, requireProject } = deps;

  const creation: EnvironmentService['creation'] = (actor, projectId, input) => ({
    action: 'environment.created',
    permission: 'environment.create',
    plan: (tx, at) => planNew(tx, { actor, projectId, input, at }),
  });

  async function planNew(
    tx: Tx,
    of: { actor: Actor; projectId: string; input: NewEnvironment; at: string; copyOf?: string },
  ): Promise<Plan<EnvironmentRecord>> {
    const { organizationId } = of.actor;
    await requireProject(tx, organizationId, of.projectId);
    const siblings = await listEnvironments(tx, organizationId, of.projectId);
    const { key } = of.input;
    if (siblings.some((one) => one.key === key)) {
      throw new ApiError('ENVIRONMENT_KEY_CONFLICT', { details: { key } });
    }
    if (siblings.length >= ENVIRONMENTS_MAX)
      throw limitExceeded({ limit: 'environments', maximum: ENVIRONMENTS_MAX });
    const { projectId, at } = of;
    const position = siblings.length;
    const row = environmentRow(of.input, { id: newId('env'), organizationId, projectId, position, at });
    return {
      resource: resourceOf(row),
      before: null,
      after: { ...fieldsOf(row), ...(of.copyOf !== undefined && { copy_of: of.copyOf }) },
      write: () => addEnvironment(tx, row, of.copyOf),
    };
  }

  return {
    async list(actor, projectId) {
      await requireProject(db, actor.organizationId, projectId);
      return (await listEnvironments(db, actor.organizationId, projectId)).map(toRecord);
    },

    async get(actor, id) {
      return toRecord(await requireEnvironment(db, actor.organizationId, id));
    },

    create: (actor, projectId, input, options) =>
      gate.applyChange(actor, creation(actor, projectId, input), options),

    creation,

    clone: (actor, id, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.cloned',
          permission: 'environment.create',
          async plan(tx, at) {
            const source = await requireEnvironment(tx, actor.organizationId, id);
            const { include = ['flags'], ...given } = input;
            const copy = copiedInput(source, given);
            const projectId = source.project_id;
            const withFlags = include.includes('flags') ? { copyOf: id } : {};
            return planNew(tx, { actor, projectId, input: copy, at, ...withFlags });
          },
        },
        options,
      ),

    update: (actor, id, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.updated',
          permission: 'environment.update',
          async plan(tx, at) {
            const before = await requireEnvironment(tx, actor.organizationId, id);
            const after = { ...before, ...columnsOf(input) };
            if (after.type !== before.type && (await countLiveKeys(tx, id, at)) > 0) {
              throw new ApiError('RESOURCE_IN_USE', {
                message: 'The type cannot change while API keys exist, because their prefix names it.',
                details: { resource: 'api_keys' },
              });
            }
            const isNothing = JSON.stringify(after) === JSON.stringify(before);
            if (!isNothing) {
              after.revision = before.revision + 1;
              after.updated_at = at;
            }
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: fieldsOf(after),
              revision: before.revision,
              isNothing,
              async write() {
                await updateEnvironment(tx, after);
                return toRecord(after);
              },
            };
          },
        },
        options,
      ),

    remove: (actor, id, confirmKey, options) =>
      gate.applyChange(
        actor,
        {
          action: 'environment.deleted',
          permission: 'environment.delete',
          async plan(tx) {
            const before = await requireEnvironment(tx, actor.organizationId, id);
            requireConfirmation(before.key, confirmKey);
            const siblings = await listEnvironments(tx, actor.organizationId, before.project_id);
            if (siblings.length === 1) {
              throw new ApiError('RESOURCE_IN_USE', {
                message: 'The last environment of a project cannot be removed.',
                details: { resource: 'project' },
              });
            }
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: null,
              revision: before.revision,
              apiKeyIds: 'all',
              write: () => deleteEnvironment(tx, id),
            };
          },
        },
        options,
      ),
  };
}

/** Inserts an environment and starts its ruleset. Also how a new project gets its first ones. */
export async function addEnvironment(
  tx: Tx,
  row: EnvironmentTable,
  copyOf?: string,
): Promise<EnvironmentRecord> {
  await insertEnvironment(tx, row, copyOf);
  await startRuleset(tx, { id: row.id, organizationId: row.organization_id }, row.created_at);
  return toRecord({ ...row, ruleset_version: 1, etag: null });
}

/** A new environment's row, with the defaults of its type. What is critical is not changed without asking. */
export function environmentRow(
  input: NewEnvironment,
  of: { id: string; organizationId: string; projectId: string; position: number; at: string },
): EnvironmentTable {
  const critical = (input.critical ?? input.type === 'production') ? 1 : 0;
  return {
    organization_id: of.organizationId,
    project_id: of.projectId,
    id: of.id,
    key: input.key,
    name: input.name,
    type: input.type,
    color: COLORS[input.type],
    position: of.position,
    critical,
    require_comment: 0,
    confirm_changes: critical,
    record_contexts: 0,
    ...columnsOf(input),
    revision: 1,
    created_at: of.at,
    updated_at: of.at,
  };
}

/** What is given, and else what the source has. Colour, `critical` and `confirm_changes` come with the type. */
function copiedInput(source: EnvironmentTable, given: Omit<CloneInput, 'include'>): NewEnvironment {
  const type = source.type as EnvironmentType;
  const ofType = {
    color: source.color,
    critical: source.critical === 1,
    confirm_changes: source.confirm_changes === 1,
  };
  const settings = { require_comment: source.require_comment === 1 };
  const isSameType = (given.type ?? type) === type;
  return { ...settings, ...(isSameType && ofType), ...given, type: given.type ?? type };
}

function columnsOf(input: EnvironmentInput): Partial<EnvironmentTable> {
  const { name, type, color, position, critical } = input;
  const { require_comment, confirm_changes, record_contexts } = input;
  return {
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
    ...(color !== undefined && { color }),
    ...(position !== undefined && { position }),
    ...(critical !== undefined && { critical: critical ? 1 : 0 }),
    ...(require_comment !== undefined && { require_comment: require_comment ? 1 : 0 }),
    ...(confirm_changes !== undefined && { confirm_changes: confirm_changes ? 1 : 0 }),
    ...(record_contexts !== undefined && { record_contexts: record_contexts ? 1 : 0 }),
  };
}

function resourceOf(row: EnvironmentTable) {
  return {
    type: 'environment',
    id: row.id,
    key: row.key,
    projectId: row.project_id,
    environmentId: row.id,
  };
}

function fieldsOf(row: EnvironmentTable) {
  const { key, name, type, color, position } = row;
  return {
    key,
    name,
    type,
    color,
    position,
    critical: row.critical === 1,
    require_comment: row.require_comment === 1,
    confirm_changes: row.confirm_changes === 1,
    record_contexts: row.record_contexts === 1,
  };
}

function toRecord(row: EnvironmentRow): EnvironmentRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    ...fieldsOf(row),
    type: row.type as EnvironmentType,
    ruleset_version: row.ruleset_version ?? 0,
    etag: row.etag,
    revision: row.revision,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
