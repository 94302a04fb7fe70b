import { isDeepStrictEqual } from 'node:util';
import { DryRun } from '../../../http/dry-run.ts';
import type { ErrorCode } from '../../../http/error-codes.ts';
import { ApiError, limitExceeded } from '../../../http/errors.ts';
import type { Warning } from '../../../http/warnings.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import { requireRevision } from '../../write-gate/preconditions.ts';
import { executeChange } from './execute-change.ts';
import { createRunDue, type RunDueDeps } from './run-due.ts';
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
  readExecuteAt,
  readTimezone,
  resourceOf,
  toRecord,
} from './scheduled-change-state.ts';
import {
  findScheduledChange,
  insertScheduledChange,
  listByFlag,
  updateScheduledChange,
} from './scheduled-change-store.ts';

/** Open changes of a flag in one environment. */
const OPEN_MAX = 50;

/** Changes of flags that are planned for later. */
export interface ScheduledChanges {
  list(
    actor: Actor,
    flagId: string,
    environmentId?: string | undefined,
  ): Promise<readonly ScheduledChangeRecord[]>;
  get(actor: Actor, id: string): Promise<ScheduledChangeRecord>;
  create(
    actor: Actor,
    flagId: string,
    input: NewScheduledChange,
    options: ChangeOptions,
  ): Promise<ScheduledChangeRecord>;
  /** The actor becomes the one with whose rights it is executed. A conflicted or failed one is pending again. */
  update(
    actor: Actor,
    id: string,
    input: ScheduledChangePatch,
    options: ChangeOptions,
  ): Promise<ScheduledChangeRecord>;
  cancel(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
  /** Now, by the actor. What stands against it is thrown, and leaves it as it was. */
  execute(actor: Actor, id: string, options: ChangeOptions): Promise<ScheduledChangeRecord>;
  /** Executes what is due. */
  runDue(): Promise<void>;
}

export interface ScheduledChangeDeps extends RunDueDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  /** Throws FLAG_NOT_FOUND or ENVIRONMENT_NOT_FOUND unless the organization has both. */
  readonly getFlag: (
    actor: Actor,
    address: { readonly flagId: string; readonly environmentId: string },
  ) => Promise<{ readonly project_id: string }>;
  /** Throws FLAG_NOT_FOUND unless the organization has the flag. */
  readonly requireFlag: (actor: Actor, flagId: string) => Promise<unknown>;
}

export function createScheduledChanges(deps: ScheduledChangeDeps): ScheduledChanges {
  const { db, gate, newId, patchFlag } = deps;

  async function requireChange(queryable: Queryable, actor: Actor, id: string) {
    const row = await findScheduledChange(queryable, actor.organizationId, id);
    if (row === undefined) throw new ApiError('SCHEDULED_CHANGE_NOT_FOUND');
    return row;
  }

  const change = (
    actor: Actor,
    id: string,
    action: AuditAction,
    merge: (before: ScheduledChangeTable, at: string) => ScheduledChangeTable,
    options: ChangeOptions,
    warnings: readonly Warning[] = [],
  ) =>
    gate.applyChange(
      actor,
      {
        action,
        permission: 'flag.write',
        async plan(tx, at) {
          const before = await requireChange(tx, actor, id);
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
      },
      options,
    );

  return {
    async list(actor, flagId, environmentId) {
      await deps.requireFlag(actor, flagId);
      const rows = await listByFlag(db, actor.organizationId, flagId, environmentId);
      return rows.map(toRecord);
    },

    get: async (actor, id) => toRecord(await requireChange(db, actor, id)),

    async create(actor, flagId, input, options) {
      const { environment_id: environmentId } = input;
      const { comment } = options;
      const { project_id } = await deps.getFlag(actor, { flagId, environmentId });
      const tried = tryOut(deps, actor, { flagId, environmentId, changes: input.changes, comment });
      // A repeated request is answered as before, whatever has become of the flag: the fault is thrown by the plan.
      const [outcome] = await Promise.allSettled([tried]);
      return gate.applyChange(
        actor,
        {
          action: 'scheduled_change.created',
          permission: 'flag.write',
          async plan(tx, at) {
            if (outcome.status === 'rejected') throw outcome.reason;
            const planned = await listByFlag(tx, actor.organizationId, flagId, environmentId);
            if (planned.filter(isOpen).length >= OPEN_MAX) {
              throw limitExceeded({ limit: 'scheduled_changes', maximum: OPEN_MAX });
            }
            const row = newRow(input, { project_id, flag_id: flagId, id: newId('sch'), actor, comment, at });
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

    async update(actor, id, input, options) {
      const row = await requireChange(db, actor, id);
      const isNew = input.changes !== undefined || input.comment !== undefined || !isOpen(row);
      let warnings: readonly Warning[] = [];
      if (isNew && !isDone(row)) {
        warnings = await tryOut(deps, actor, {
          id,
          flagId: row.flag_id,
          environmentId: row.environment_id,
          changes: input.changes ?? (JSON.parse(row.changes_json) as NewScheduledChange['changes']),
          comment: input.comment ?? row.comment ?? undefined,
        });
      }
      return change(
        actor,
        id,
        'scheduled_change.updated',
        (before, at) => ({
          ...mergeChange(before, input, at),
          status: 'pending',
          error_json: null,
          retry_at: null,
          // Else an editor could have something done with the rights of an admin.
          created_by: actor.id ?? '',
          created_by_email: actor.email ?? '',
        }),
        options,
        warnings,
      );
    },

    async cancel(actor, id, options) {
      const cancel = (before: ScheduledChangeTable) => ({ ...before, status: 'cancelled', retry_at: null });
      await change(actor, id, 'scheduled_change.cancelled', cancel, options);
    },

    async execute(actor, id, options) {
      const row = await requireChange(db, actor, id);
      if (isOpen(row)) {
        await requireAskedRevision(db, row, options);
        await executeChange(patchFlag, row, actor, options);
      } else await gate.applyChange(actor, refusal(row), options);
      return toRecord(await requireChange(db, actor, id));
    },

    runDue: createRunDue(deps),
  };
}

/**
 * Instructions that cannot be followed now are refused, unless others come before them. Resolves with what following
 * them now would warn of.
 */
async function tryOut(
  { db, patchFlag }: Pick<ScheduledChangeDeps, 'db' | 'patchFlag'>,
  actor: Actor,
  wanted: Wanted,
): Promise<readonly Warning[]> {
  const { id, flagId, environmentId, changes, comment } = wanted;
  const planned = await listByFlag(db, actor.organizationId, flagId, environmentId);
  const isFirst = !planned.some((row) => row.id !== id && isOpen(row));
  try {
    await patchFlag(actor, { flagId, environmentId }, changes, { dryRun: true, comment });
  } catch (error) {
    if (error instanceof DryRun) {
      requireAllowed(error);
      return error.plan.flatMap(({ warnings }) => warnings);
    }
    if (isFirst) throw error;
  }
  return [];
}

/** A change as it is planned first. */
function newRow(
  input: NewScheduledChange,
  own: Pick<ScheduledChangeTable, 'project_id' | 'flag_id' | 'id'> & {
    readonly actor: Actor;
    readonly comment: string | undefined;
    readonly at: string;
  },
): ScheduledChangeTable {
  const { actor, comment, at, ...ids } = own;
  return {
    ...ids,
    organization_id: actor.organizationId,
    environment_id: input.environment_id,
    status: 'pending',
    execute_at: readExecuteAt(input.execute_at, at),
    timezone: readTimezone(input.timezone),
    changes_json: JSON.stringify(input.changes),
    base_revision: input.base_revision ?? null,
    on_conflict: input.on_conflict ?? 'fail',
    on_freeze: input.on_freeze ?? 'defer',
    comment: comment ?? null,
    created_by: actor.id ?? '',
    created_by_email: actor.email ?? '',
    error_json: null,
    retry_at: null,
    executed_at: null,
    revision: 1,
    created_at: at,
    updated_at: at,
  };
}

/** What somebody wants to have planned; `id` names what is planned already. */
interface Wanted {
  readonly id?: string;
  readonly flagId: string;
  readonly environmentId: string;
  readonly changes: NewScheduledChange['changes'];
  readonly comment: string | undefined;
}

/** A freeze of this moment says nothing of then; whatever else a guard has against it does. */
function requireAllowed({ plan }: DryRun): void {
  const refused = plan
    .map(({ gate }) => gate)
    .find(({ allowed, code }) => !allowed && code !== 'FREEZE_WINDOW_ACTIVE');
  if (refused === undefined) return;
  throw new ApiError(refused.code as ErrorCode, { message: refused.message!, details: refused.details });
}

/** What people have planned may reach further than where it is written down. */
function requireOwnOfAgent(actor: Actor, { created_by }: ScheduledChangeTable): void {
  if (actor.kind !== 'agent' || created_by === actor.id) return;
  const message = 'Agents change and cancel only what they have planned themselves.';
  throw new ApiError('AGENT_NOT_ALLOWED', { message });
}

/** Throws SCHEDULED_CHANGE_DONE, unless the gate remembers that the very same request has executed it. */
function refusal({ status }: ScheduledChangeTable): Change<void> {
  return {
    action: 'scheduled_change.executed',
    permission: 'flag.write',
    async plan() {
      throw new ApiError('SCHEDULED_CHANGE_DONE', { details: { status } });
    },
  };
}

/** Throws PRECONDITION_FAILED unless it is at the revision that is asked for. */
async function requireAskedRevision(
  db: Queryable,
  row: ScheduledChangeTable,
  { ifMatch }: ChangeOptions,
): Promise<void> {
  const changes = { status: { from: row.status, to: 'executed' } };
  const { revision } = row;
  await requireRevision(db, { resource: resourceOf(row), before: null, revision, changes }, { ifMatch });
}
