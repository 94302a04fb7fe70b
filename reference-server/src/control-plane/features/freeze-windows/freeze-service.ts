import { isDeepStrictEqual } from 'node:util';
import { ApiError, type FieldError, invalid, limitExceeded } from '../../../http/errors.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { fieldsOf, mergeWindow, scopeOf, statusOf, toRecord } from './freeze-plans.ts';
import type {
  FreezeStatusRecord,
  FreezeWindowInput,
  FreezeWindowRecord,
  NewFreezeWindow,
} from './freeze-schemas.ts';
import { coversEnvironment, type FreezeScope } from './freeze-scope.ts';
import {
  findFreezeWindow,
  insertFreezeWindow,
  listFreezeWindows,
  listLiveFreezeWindows,
  updateFreezeWindow,
} from './freeze-store.ts';
import { freezeTimes, nextChange } from './freeze-times.ts';
import { HORIZON_DAYS } from './recurrence.ts';

/** Windows of an organization that are on, or may be at some time. */
const LIVE_MAX = 200;

/** Freeze windows. What they block is in `createFreezeGuard`. */
export interface FreezeService {
  list(actor: Actor, status?: FreezeWindowRecord['status']): Promise<readonly FreezeWindowRecord[]>;
  get(actor: Actor, id: string): Promise<FreezeWindowRecord>;
  /** Whether an environment is frozen, by which windows, and when that changes. */
  status(actor: Actor, environmentId: string): Promise<FreezeStatusRecord>;
  /** Throws ORGANIZATION_NOT_FOUND for any organization but the actor's. */
  create(actor: Actor, input: NewFreezeWindow, options: ChangeOptions): Promise<FreezeWindowRecord>;
  /** Throws COMMENT_REQUIRED without a comment while the window is on. */
  update(
    actor: Actor,
    id: string,
    input: FreezeWindowInput,
    options: ChangeOptions,
  ): Promise<FreezeWindowRecord>;
  /** Ends it now, for good; always wants a comment. */
  end(actor: Actor, id: string, options: ChangeOptions): Promise<FreezeWindowRecord>;
  /** Calls off a window that is not on; throws RESOURCE_IN_USE for one that is. */
  cancel(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
}

export interface FreezeDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
}

export function createFreezeService(deps: FreezeDeps): FreezeService {
  const { db, gate, newId, now, requireEnvironment } = deps;
  const timestamp = (): string => new Date(now()).toISOString();

  /** A change of one window by the service's rules; `merge` says what it would be. */
  const change = (
    actor: Actor,
    id: string,
    action: AuditAction,
    merge: (before: FreezeWindowTable, at: string) => FreezeWindowTable,
    options: ChangeOptions,
  ) =>
    gate.applyChange(
      actor,
      {
        action,
        permission: 'freeze_window.write',
        async plan(tx, at) {
          const before = await requireWindow(tx, actor, id);
          const status = statusOf(before, at);
          if (status === 'ended' || status === 'cancelled') throw new ApiError('FREEZE_WINDOW_OVER');
          const wanted = merge(before, at);
          // What the window names may be gone by now: that must not keep anybody from ending it.
          if (wanted.scope_json !== before.scope_json) await requireScope(deps, tx, actor, scopeOf(wanted));
          const changed = !isDeepStrictEqual(wanted, before);
          if (changed && (status === 'active' || statusOf(wanted, at) === 'ended')) requireComment(options);
          const after = changed ? { ...wanted, revision: before.revision + 1, updated_at: at } : before;
          return {
            resource: resourceOf(before),
            before: fieldsOf(before),
            after: fieldsOf(after),
            revision: before.revision,
            isNoOp: !changed,
            async write() {
              await updateFreezeWindow(tx, after);
              return toRecord(after, at);
            },
          };
        },
      },
      options,
    );

  return {
    async list(actor, status) {
      const at = timestamp();
      const rows = await listFreezeWindows(db, actor.organizationId);
      const records = rows.map((row) => toRecord(row, at));
      return status === undefined ? records : records.filter((record) => record.status === status);
    },

    get: async (actor, id) => toRecord(await requireWindow(db, actor, id), timestamp()),

    async status(actor, environmentId) {
      const environment = await requireEnvironment(db, actor.organizationId, environmentId);
      const at = timestamp();
      const live = await listLiveFreezeWindows(db, actor.organizationId, at);
      const covering = live.filter((row) => coversEnvironment(scopeOf(row), environment));
      const active = covering.filter((row) => statusOf(row, at) === 'active');
      const next = nextChange(covering.map(freezeTimes), Date.parse(at));
      return {
        frozen: active.length > 0,
        windows: active.map((row) => toRecord(row, at)),
        next_change_at: next === null ? null : new Date(next).toISOString(),
      };
    },

    create: (actor, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'freeze_window.created',
          permission: 'freeze_window.write',
          async plan(tx, at) {
            const { organizationId } = actor;
            if ((input.organization_id ?? organizationId) !== organizationId) {
              throw new ApiError('ORGANIZATION_NOT_FOUND');
            }
            const live = await listLiveFreezeWindows(tx, organizationId, at);
            if (live.length >= LIVE_MAX) {
              throw limitExceeded({ limit: 'freeze_windows', maximum: LIVE_MAX });
            }
            const row = mergeWindow(emptyWindow(organizationId, newId('frz'), actor.id, at), input);
            requireToCome(row, at);
            await requireScope(deps, tx, actor, scopeOf(row));
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row),
              async write() {
                await insertFreezeWindow(tx, row);
                return toRecord(row, at);
              },
            };
          },
        },
        options,
      ),

    update: (actor, id, input, options) =>
      change(
        actor,
        id,
        'freeze_window.updated',
        (before, at) => {
          const wanted = mergeWindow(before, input);
          // Whoever ends one that is on by its times has to say why; that another will never be on is a mistake.
          if (isTimedOtherwise(wanted, before) && statusOf(wanted, at) !== 'ended') requireToCome(wanted, at);
          return wanted;
        },
        options,
      ),

    end: (actor, id, options) => {
      requireComment(options);
      const end = (before: FreezeWindowTable, at: string) => ({
        ...before,
        ended_at: at,
        ended_by: actor.email ?? actor.name ?? null,
      });
      return change(actor, id, 'freeze_window.ended', end, options);
    },

    async cancel(actor, id, options) {
      const cancel = (before: FreezeWindowTable, at: string) => {
        if (statusOf(before, at) !== 'active') return { ...before, cancelled_at: at };
        throw new ApiError('RESOURCE_IN_USE', {
          message: 'The window is on: end it, with a comment, by POST /freeze-windows/{id}/end.',
          details: { resource: 'freeze_window' },
        });
      };
      await change(actor, id, 'freeze_window.cancelled', cancel, options);
    },
  };
}

function requireComment({ comment }: ChangeOptions): void {
  if (comment !== undefined && comment.trim() !== '') return;
  throw new ApiError('COMMENT_REQUIRED', {
    message: 'A freeze window that is on is changed and ended only with a comment that says why.',
    details: { field: 'comment' },
  });
}

async function requireWindow(db: Queryable, actor: Actor, id: string): Promise<FreezeWindowTable> {
  const row = await findFreezeWindow(db, actor.organizationId, id);
  if (row === undefined) throw new ApiError('FREEZE_WINDOW_NOT_FOUND');
  return row;
}

function isTimedOtherwise(wanted: FreezeWindowTable, before: FreezeWindowTable): boolean {
  return (['starts_at', 'ends_at', 'recurrence_json'] as const).some((name) => wanted[name] !== before[name]);
}

/** Throws VALIDATION_ERROR for a window that would never be on. */
function requireToCome(row: FreezeWindowTable, at: string): void {
  const times = freezeTimes(row);
  const now = Date.parse(at);
  const isOver = statusOf(row, at) === 'ended';
  if (!isOver && (times.at(now) ?? times.after(now, HORIZON_DAYS)) !== undefined) return;
  const field = row.ends_at !== null && row.ends_at <= at ? 'ends_at' : 'recurrence';
  const message = isOver ? 'must end after now' : 'never comes between the start and the end';
  throw invalid({ field, location: 'body', code: 'range', message });
}

/**
 * Throws PROJECT_NOT_FOUND or ENVIRONMENT_NOT_FOUND for ids that are not the organization's, and VALIDATION_ERROR for
 * environments that the rest of the scope leaves out.
 */
async function requireScope(deps: FreezeDeps, tx: Tx, actor: Actor, scope: FreezeScope): Promise<void> {
  for (const id of scope.project_ids) await deps.requireProject(tx, actor.organizationId, id);
  const faults: FieldError[] = [];
  for (const [index, id] of scope.environment_ids.entries()) {
    const environment = await deps.requireEnvironment(tx, actor.organizationId, id);
    if (coversEnvironment(scope, environment)) continue;
    const message = 'is left out by the project_ids or environment_types of the scope';
    faults.push({ field: `scope.environment_ids.${index}`, location: 'body', code: 'outside', message });
  }
  if (faults.length > 0) throw invalid(...faults);
}

function resourceOf(row: FreezeWindowTable) {
  return { type: 'freeze_window', id: row.id, key: row.name };
}

function emptyWindow(
  organizationId: string,
  id: string,
  createdBy: string | null,
  at: string,
): FreezeWindowTable {
  return {
    organization_id: organizationId,
    id,
    name: '',
    reason: '',
    scope_json: '{"project_ids":[],"environment_ids":[],"environment_types":[],"tags":[]}',
    starts_at: at,
    ends_at: null,
    recurrence_json: null,
    last_start_at: null,
    final_end_at: null,
    blocked_actions_json: '["*"]',
    allow_json: '[]',
    notify_before_minutes: 0,
    noticed_at: null,
    created_by: createdBy,
    revision: 1,
    created_at: at,
    updated_at: at,
    ended_at: null,
    ended_by: null,
    cancelled_at: null,
  };
}
