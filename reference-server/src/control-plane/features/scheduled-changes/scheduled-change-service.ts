import { isDeepStrictEqual } from 'node:util';
import { DryRun } from '../../../http/dry-run.ts';
import { ApiError, type ErrorCode, limitExceeded } from '../../../http/errors.ts';
import type { Warning } from '../../../http/warnings.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import { requireRevision } from '../../write-gate/preconditions.ts';
import { executeChange, type PatchFlag } from './execute-change.ts';
import type {
  NewScheduledChange,
  ScheduledChangePatch,
  ScheduledChangeRecord,
} from './scheduled-change-schemas.ts';
import {
  fieldsOf,
  isDone,
  isOpen,
  mergeChange,
  newRow,
  resourceOf,
  toRecord,
} from './scheduled-change-state.ts';
import {
  findScheduledChange,
  insertScheduledChange,
  listByFlag,
  listByProject,
  type ProjectSchedule,
  type ScheduledChangeRow,
  updateScheduledChange,
} from './scheduled-change-store.ts';

/** Maximum number of open changes of a flag in one environment. */
const OPEN_MAX = 50;

/** Changes of flags that are executed later. */
export interface ScheduledChangeService {
  /** The changes of a flag, soonest first. Throws FLAG_NOT_FOUND. */
  list(
    actor: Actor,
    query: { readonly flagId: string; readonly environmentId?: string | undefined },
  ): Promise<readonly ScheduledChangeRecord[]>;
  /** One page of the changes of a project, soonest first. Throws PROJECT_NOT_FOUND or ENVIRONMENT_NOT_FOUND. */
  listOfProject(
    actor: Actor,
    wanted: ProjectSchedule & { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly total: number; readonly records: readonly ScheduledChangeRecord[] }>;
  get(actor: Actor, id: string): Promise<ScheduledChangeRecord>;
  create(
    actor: Actor,
    wanted: { readonly flagId: string; readonly input: NewScheduledChange },
    options: ChangeOptions,
  ): Promise<ScheduledChangeRecord>;
  /** Makes the actor the author, whose rights count at the execution. A conflicted or failed change is pending again. */
  update(
    actor: Actor,
    wanted: { readonly id: string; readonly input: ScheduledChangePatch },
    options: ChangeOptions,
  ): Promise<ScheduledChangeRecord>;
  cancel(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
  /** Executes the change now, as the actor, also a conflicted or failed one. After an error it stays as it was. */
  execute(
    actor: Actor,
    wanted: { readonly id: string; readonly onConflict?: ScheduledChangeRecord['on_conflict'] | undefined },
    options: ChangeOptions,
  ): Promise<ScheduledChangeRecord>;
}

export interface ScheduledChangeServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly patchFlag: PatchFlag;
  /** Throws FLAG_NOT_FOUND or ENVIRONMENT_NOT_FOUND. */
  readonly getFlag: (
    actor: Actor,
    address: { readonly flagId: string; readonly environmentId: string },
  ) => Promise<{ readonly project_id: string; readonly key: string }>;
  /** Throws PROJECT_NOT_FOUND. */
  readonly requireProject: (db: Queryable, organizationId: string, id: string) => Promise<unknown>;
  /** Throws ENVIRONMENT_NOT_FOUND. */
  readonly requireEnvironment: (db: Queryable, organizationId: string, id: string) => Promise<unknown>;
  /** Throws FLAG_NOT_FOUND. */
  readonly requireFlag: (actor: Actor, flagId: string) => Promise<unknown>;
}

export function createScheduledChangeService(deps: ScheduledChangeServiceDeps): ScheduledChangeService {
  const { db, gate, newId, patchFlag, getFlag, requireFlag, requireProject, requireEnvironment } = deps;

  async function findOrThrow(queryable: Queryable, { organizationId }: Actor, id: string) {
    const row = await findScheduledChange(queryable, organizationId, id);
    if (row === undefined) throw new ApiError('SCHEDULED_CHANGE_NOT_FOUND');
    return row;
  }

  /** A change to one scheduled change; `merge` returns the changed row. */
  const changeOf = (
    action: AuditAction,
    { actor, id, warnings = [] }: { actor: Actor; id: string; warnings?: readonly Warning[] },
    merge: (before: ScheduledChangeRow, at: string) => ScheduledChangeRow,
  ): Change<ScheduledChangeRecord> => ({
    action,
    permission: 'flag.write',
    async plan(tx, at) {
      const before = await findOrThrow(tx, actor, id);
      requireOwnOfAgent(actor, before);
      if (isDone(before)) {
        throw new ApiError('SCHEDULED_CHANGE_DONE', { details: { status: before.status } });
      }
      const wanted = merge(before, at);
      const changed = !isDeepStrictEqual(wanted, before);
      const after = changed ? { ...wanted, revision: before.revision + 1, updated_at: at } : before;
      return {
        resource: resourceOf(before),
        before: fieldsOf(before),
        after: fieldsOf(after),
        revision: before.revision,
        isNoOp: !changed,
        warnings,
        async write() {
          await updateScheduledChange(tx, after);
          return toRecord(after);
        },
      };
    },
  });

  return {
    async list(actor, query) {
      await requireFlag(actor, query.flagId);
      return (await listByFlag(db, actor.organizationId, query)).map(toRecord);
    },

    async listOfProject({ organizationId }, wanted) {
      await requireProject(db, organizationId, wanted.projectId);
      if (wanted.environmentId !== undefined)
        await requireEnvironment(db, organizationId, wanted.environmentId);
      const { total, rows } = await listByProject(db, organizationId, wanted);
      return { total, records: rows.map(toRecord) };
    },

    get: async (actor, id) => toRecord(await findOrThrow(db, actor, id)),

    async create(actor, { flagId, input }, options) {
      const { environment_id: environmentId } = input;
      const { comment } = options;
      const { project_id, key } = await getFlag(actor, { flagId, environmentId });
      const tried = tryInstructions(deps, actor, { flagId, environmentId, changes: input.changes, comment });
      // The plan throws the error, because a replayed request must get its first answer even if the flag has changed
      // since.
      const [outcome] = await Promise.allSettled([tried]);
      return gate.applyChange(
        actor,
        {
          action: 'scheduled_change.created',
          permission: 'flag.write',
          async plan(tx, at) {
            if (outcome.status === 'rejected') throw outcome.reason;
            const known = await listByFlag(tx, actor.organizationId, { flagId, environmentId });
            if (known.filter(isOpen).length >= OPEN_MAX) {
              throw limitExceeded({ limit: 'scheduled_changes', maximum: OPEN_MAX });
            }
            const ids = { id: newId('sch'), project_id, flag_id: flagId, flag_key: key };
            const row = newRow(input, { ...ids, actor, comment, at });
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row),
              warnings: outcome.value,
              async write() {
                await insertScheduledChange(tx, row);
                return toRecord(row);
              },
            };
          },
        },
        options,
      );
    },

    async update(actor, { id, input }, options) {
      const row = await findOrThrow(db, actor, id);
      const isNew = input.changes !== undefined || input.comment !== undefined || !isOpen(row);
      let warnings: readonly Warning[] = [];
      if (isNew && !isDone(row)) {
        warnings = await tryInstructions(deps, actor, {
          id,
          flagId: row.flag_id,
          environmentId: row.environment_id,
          changes: input.changes ?? (JSON.parse(row.changes_json) as NewScheduledChange['changes']),
          comment: input.comment ?? row.comment ?? undefined,
        });
      }
      const change = changeOf('scheduled_change.updated', { actor, id, warnings }, (before, at) => ({
        ...mergeChange(before, input, at),
        status: 'pending',
        error_json: null,
        retry_at: null,
        // Otherwise an editor could use the rights of the admin who scheduled the change.
        created_by: actor.id ?? '',
        created_by_email: actor.email ?? '',
      }));
      return gate.applyChange(actor, change, options);
    },

    async cancel(actor, id, options) {
      const change = changeOf('scheduled_change.cancelled', { actor, id }, (before) => ({
        ...before,
        status: 'cancelled',
        retry_at: null,
      }));
      await gate.applyChange(actor, change, options);
    },

    async execute(actor, { id, onConflict }, options) {
      const row = await findOrThrow(db, actor, id);
      if (!isDone(row)) {
        await requireCurrentRevision(db, row, options);
        const wanted = { ...row, on_conflict: onConflict ?? row.on_conflict };
        await executeChange(patchFlag, { row: wanted, actor }, options);
      } else await gate.applyChange(actor, refuseDone(row), options);
      return toRecord(await findOrThrow(db, actor, id));
    },
  };
}

/** Instructions to check; `id` is that of the scheduled change to which they belong, if it is stored. */
interface WantedChange {
  readonly id?: string;
  readonly flagId: string;
  readonly environmentId: string;
  readonly changes: NewScheduledChange['changes'];
  readonly comment: string | undefined;
}

/**
 * Tries instructions in a dry run and returns their warnings. Throws the error that refuses them, unless an earlier
 * scheduled change may still make them possible.
 */
async function tryInstructions(
  { db, patchFlag }: Pick<ScheduledChangeServiceDeps, 'db' | 'patchFlag'>,
  actor: Actor,
  { id, flagId, environmentId, changes: instructions, comment }: WantedChange,
): Promise<readonly Warning[]> {
  const known = await listByFlag(db, actor.organizationId, { flagId, environmentId });
  const isFirst = !known.some((row) => row.id !== id && isOpen(row));
  try {
    await patchFlag(actor, { flagId, environmentId, instructions }, { dryRun: true, comment });
  } catch (error) {
    if (error instanceof DryRun) {
      requireAllowed(error);
      return error.plan.flatMap(({ warnings }) => warnings);
    }
    if (isFirst) throw error;
  }
  return [];
}

/**
 * Throws the error with which a guard refuses the change. A freeze window does not count: it may be over when the
 * change is executed.
 */
function requireAllowed({ plan }: DryRun): void {
  const refused = plan
    .map(({ gate }) => gate)
    .find(({ allowed, code }) => !allowed && code !== 'FREEZE_WINDOW_ACTIVE');
  if (refused === undefined) return;
  throw new ApiError(refused.code as ErrorCode, { message: refused.message!, details: refused.details });
}

/**
 * Throws AGENT_NOT_ALLOWED for a change that the agent has not scheduled itself: a change that a person scheduled can
 * reach environments that are closed to agents.
 */
function requireOwnOfAgent(actor: Actor, { created_by }: ScheduledChangeRow): void {
  if (actor.kind !== 'agent' || created_by === actor.id) return;
  const message = 'An agent can change and cancel only what it has scheduled itself.';
  throw new ApiError('AGENT_NOT_ALLOWED', { message });
}

/** A change that throws SCHEDULED_CHANGE_DONE, unless the gate replays the answer of the same request. */
function refuseDone({ status }: ScheduledChangeRow): Change<void> {
  return {
    action: 'scheduled_change.executed',
    permission: 'flag.write',
    async plan() {
      throw new ApiError('SCHEDULED_CHANGE_DONE', { details: { status } });
    },
  };
}

/** Throws PRECONDITION_FAILED unless `If-Match` names the revision of the scheduled change. */
async function requireCurrentRevision(
  db: Queryable,
  row: ScheduledChangeRow,
  { ifMatch }: ChangeOptions,
): Promise<void> {
  const changes = { status: { from: row.status, to: 'executed' } };
  const { revision } = row;
  await requireRevision(db, { resource: resourceOf(row), before: null, revision, changes }, { ifMatch });
}
