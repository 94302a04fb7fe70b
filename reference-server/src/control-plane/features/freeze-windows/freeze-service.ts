import { isDeepStrictEqual } from 'node:util';
import { ApiError, type FieldError, invalid, limitExceeded } from '../../../http/errors.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { toCalendar } from './freeze-calendar.ts';
import {
  emptyWindow,
  fieldsOf,
  mergeWindow,
  resourceOf,
  scopeOf,
  statusOf,
  toRecord,
} from './freeze-plans.ts';
import type {
  FreezeCalendarRecord,
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

/** The longest period of a calendar. */
const CALENDAR_DAYS_MAX = 100;
/** Maximum number of active and upcoming windows in an organization. */
const LIVE_MAX = 200;

/** Freeze windows. `createFreezeGuard` enforces them. */
export interface FreezeService {
  list(actor: Actor, status?: FreezeWindowRecord['status']): Promise<readonly FreezeWindowRecord[]>;
  get(actor: Actor, id: string): Promise<FreezeWindowRecord>;
  /** Whether an environment is frozen, by which windows, and when that changes. */
  status(actor: Actor, environmentId: string): Promise<FreezeStatusRecord>;
  /** When windows freeze something in a period. Throws VALIDATION_ERROR for a period that is empty or too long. */
  calendar(actor: Actor, period: Period): Promise<FreezeCalendarRecord>;
  /** Throws ORGANIZATION_NOT_FOUND for an organization other than the actor's. */
  create(actor: Actor, input: NewFreezeWindow, options: ChangeOptions): Promise<FreezeWindowRecord>;
  /** Throws COMMENT_REQUIRED without a comment if the window is active or the update ends it. */
  update(
    actor: Actor,
    wanted: { readonly id: string; readonly input: FreezeWindowInput },
    options: ChangeOptions,
  ): Promise<FreezeWindowRecord>;
  /** Ends the window for good. Throws COMMENT_REQUIRED without a comment. */
  end(actor: Actor, id: string, options: ChangeOptions): Promise<FreezeWindowRecord>;
  /** Cancels a window that is not active; throws RESOURCE_IN_USE for an active one. */
  cancel(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
}

/** Times in ISO 8601; `to` is exclusive. */
interface Period {
  readonly from: string;
  readonly to: string;
}

export interface FreezeServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
}

export function createFreezeService(deps: FreezeServiceDeps): FreezeService {
  const { db, gate, newId, now, requireEnvironment } = deps;
  const timestamp = (): string => new Date(now()).toISOString();

  /** A change of one window; `merge` returns the row after it. */
  const changeOf = (
    action: AuditAction,
    { actor, id, comment }: { actor: Actor; id: string; comment: string | undefined },
    merge: (before: FreezeWindowTable, at: string) => FreezeWindowTable,
  ): Change<FreezeWindowRecord> => ({
    action,
    permission: 'freeze_window.write',
    async plan(tx, at) {
      const before = await requireWindow(tx, actor, id);
      const status = statusOf(before, at);
      if (status === 'ended' || status === 'cancelled') throw new ApiError('FREEZE_WINDOW_OVER');
      const wanted = merge(before, at);
      // An unchanged scope may name environments that were deleted, which must not keep the window from being ended.
      if (wanted.scope_json !== before.scope_json) {
        const { organizationId } = actor;
        await requireScope(tx, deps, { organizationId, scope: scopeOf(wanted) });
      }
      const changed = !isDeepStrictEqual(wanted, before);
      if (changed && (status === 'active' || statusOf(wanted, at) === 'ended')) requireComment(comment);
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
  });

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

    async calendar(actor, period) {
      const [from, to] = [Date.parse(period.from), Date.parse(period.to)];
      requirePeriod(from, to);
      const rows = await listFreezeWindows(db, actor.organizationId);
      return toCalendar(
        rows.filter((row) => row.cancelled_at === null),
        { from, to },
      );
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
            if (live.length >= LIVE_MAX) throw limitExceeded({ limit: 'freeze_windows', maximum: LIVE_MAX });
            const empty = emptyWindow({ organizationId, id: newId('frz'), createdBy: actor.id, at });
            const row = mergeWindow(empty, input);
            requireOccurrence(row, at);
            await requireScope(tx, deps, { organizationId, scope: scopeOf(row) });
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

    update: (actor, { id, input }, options) =>
      gate.applyChange(
        actor,
        changeOf('freeze_window.updated', { actor, id, comment: options.comment }, (before, at) => {
          const wanted = mergeWindow(before, input);
          // New times may end a window, but a window that has not ended must have an occurrence.
          const isEnded = statusOf(wanted, at) === 'ended';
          if (hasOtherTimes(wanted, before) && !isEnded) requireOccurrence(wanted, at);
          return wanted;
        }),
        options,
      ),

    async end(actor, id, options) {
      requireComment(options.comment);
      const change = changeOf(
        'freeze_window.ended',
        { actor, id, comment: options.comment },
        (before, at) => ({
          ...before,
          ended_at: at,
          ended_by: actor.email ?? actor.name ?? null,
        }),
      );
      return gate.applyChange(actor, change, options);
    },

    async cancel(actor, id, options) {
      const change = changeOf(
        'freeze_window.cancelled',
        { actor, id, comment: options.comment },
        (before, at) => {
          if (statusOf(before, at) !== 'active') return { ...before, cancelled_at: at };
          throw new ApiError('RESOURCE_IN_USE', {
            message: 'The window is active. End it with a comment: POST /freeze-windows/{id}/end.',
            details: { resource: 'freeze_window' },
          });
        },
      );
      await gate.applyChange(actor, change, options);
    },
  };
}

function requirePeriod(from: number, to: number): void {
  if (from < to && to - from <= CALENDAR_DAYS_MAX * DAY_MS) return;
  const message = `must be after from, by at most ${CALENDAR_DAYS_MAX} days`;
  throw invalid({ field: 'to', location: 'query', code: 'range', message });
}

function requireComment(comment: string | undefined): void {
  if (comment !== undefined && comment.trim() !== '') return;
  throw new ApiError('COMMENT_REQUIRED', {
    message: 'Changing or ending an active freeze window requires a comment with the reason.',
    details: { field: 'comment' },
  });
}

async function requireWindow(db: Queryable, actor: Actor, id: string): Promise<FreezeWindowTable> {
  const row = await findFreezeWindow(db, actor.organizationId, id);
  if (row === undefined) throw new ApiError('FREEZE_WINDOW_NOT_FOUND');
  return row;
}

function hasOtherTimes(wanted: FreezeWindowTable, before: FreezeWindowTable): boolean {
  return (['starts_at', 'ends_at', 'recurrence_json'] as const).some((name) => wanted[name] !== before[name]);
}

/** Throws VALIDATION_ERROR for a window that would never be active. */
function requireOccurrence(row: FreezeWindowTable, at: string): void {
  const times = freezeTimes(row);
  const now = Date.parse(at);
  const isOver = statusOf(row, at) === 'ended';
  if (!isOver && (times.at(now) ?? times.after(now, HORIZON_DAYS)) !== undefined) return;
  const field = row.ends_at !== null && row.ends_at <= at ? 'ends_at' : 'recurrence';
  const message = isOver ? 'must end after now' : 'never occurs between the start and the end';
  throw invalid({ field, location: 'body', code: 'range', message });
}

/**
 * Throws PROJECT_NOT_FOUND or ENVIRONMENT_NOT_FOUND for ids that the organization does not have, and VALIDATION_ERROR for
 * environments that the rest of the scope excludes.
 */
async function requireScope(
  tx: Tx,
  { requireProject, requireEnvironment }: FreezeServiceDeps,
  { organizationId, scope }: { readonly organizationId: string; readonly scope: FreezeScope },
): Promise<void> {
  for (const id of scope.project_ids) await requireProject(tx, organizationId, id);
  const faults: FieldError[] = [];
  for (const [index, id] of scope.environment_ids.entries()) {
    const environment = await requireEnvironment(tx, organizationId, id);
    if (coversEnvironment(scope, environment)) continue;
    const message = 'is excluded by the project_ids or environment_types of the scope';
    faults.push({ field: `scope.environment_ids.${index}`, location: 'body', code: 'outside', message });
  }
  if (faults.length > 0) throw invalid(...faults);
}
