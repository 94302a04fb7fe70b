import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { type Actor, systemActor } from '../../access/actor.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { executeChange, type PatchFlag } from './execute-change.ts';
import { fieldsOf, isOpen, resourceOf } from './scheduled-change-state.ts';
import {
  findScheduledChange,
  listDue,
  type ScheduledChangeRow,
  setRetry,
  updateScheduledChange,
} from './scheduled-change-store.ts';

export interface RunDueDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
  readonly patchFlag: PatchFlag;
  /** Finds the author with their current rights; undefined when the author has left or is disabled. */
  readonly findAuthor: FindAuthor;
  /** Called with unexpected errors; the change is tried again. */
  readonly onError: (error: unknown) => void;
}

export type FindAuthor = (
  row: Pick<ScheduledChangeRow, 'id' | 'organization_id' | 'created_by'>,
) => Promise<Actor | undefined>;

/** How long a change that a freeze window or an unexpected error has stopped waits for its next attempt. */
const RETRY_MS = 60_000;

/**
 * Executes all due changes in the order of their times, including those that became due while no process ran. Changes of
 * one flag in one environment never overtake each other.
 */
export function createRunDue(deps: RunDueDeps): () => Promise<void> {
  const { db, now, patchFlag, findAuthor, onError } = deps;
  return async () => {
    const at = new Date(now()).toISOString();
    const waiting = new Set<string>();
    for (const due of await listDue(db, at)) {
      // Read again, because an earlier change can have moved the base revision of this one, or a user can have
      // cancelled it.
      const row = await findScheduledChange(db, due.organization_id, due.id);
      if (row === undefined || !isOpen(row) || row.execute_at > at) continue;
      const target = `${row.environment_id} ${row.flag_id}`;
      const wait = row.retry_at === null ? 0 : Date.parse(row.retry_at) - Date.parse(at);
      // A wait longer than RETRY_MS means that the clock was set back.
      const isWaiting = wait > 0 && wait <= RETRY_MS;
      if (isWaiting || waiting.has(target)) {
        waiting.add(target);
        continue;
      }
      try {
        const actor = await findAuthor(row);
        if (actor === undefined) throw new ApiError('INSUFFICIENT_PERMISSIONS', { message: AUTHOR_LEFT });
        await executeChange(patchFlag, { row, actor });
      } catch (error) {
        const next = nextStatus(error, row);
        if (next === 'retry') onError(error);
        if (next === 'retry' || next === 'blocked') waiting.add(target);
        await storeOutcome(deps, row, { next, error });
      }
    }
  };
}

const AUTHOR_LEFT = 'The author of this change is disabled or no longer a member.';

type Next = 'retry' | 'done' | 'blocked' | 'failed' | 'conflicted';

function nextStatus(error: unknown, row: ScheduledChangeRow): Next {
  if (!(error instanceof ApiError) || error.status >= 500) return 'retry';
  if (error.code === 'SCHEDULED_CHANGE_DONE') return 'done';
  if (error.code === 'FREEZE_WINDOW_ACTIVE') return row.on_freeze === 'defer' ? 'blocked' : 'failed';
  if (error.code === 'CHANGE_CONFLICT') return 'conflicted';
  // The status 422 means that the instructions cannot be followed on the current flag.
  return error.status === 422 && row.on_conflict === 'rebase' ? 'conflicted' : 'failed';
}

async function storeOutcome(
  { db, gate, now }: RunDueDeps,
  row: ScheduledChangeRow,
  { next, error }: { readonly next: Next; readonly error: unknown },
): Promise<void> {
  if (next === 'done') return;
  const retryAt = new Date(now() + RETRY_MS).toISOString();
  if (next === 'retry') return setRetry(db, row, { retry_at: retryAt });
  const { code, message, details } = error as ApiError;
  const error_json = JSON.stringify({ code, message, details });
  // A change that stays blocked, possibly by another window, needs no audit entry.
  if (next === row.status) return setRetry(db, row, { retry_at: retryAt, error_json });
  const system = systemActor(row.organization_id);
  await gate.applyChange(
    { ...system, origin: { ...system.origin, via: 'schedule' } },
    {
      action: `scheduled_change.${next}`,
      permission: 'flag.write',
      async plan(tx, at) {
        const before = await findScheduledChange(tx, row.organization_id, row.id);
        // A scheduled change that a user has changed or cancelled meanwhile stays as it is.
        const isSame = before !== undefined && isOpen(before) && before.revision === row.revision;
        const after = isSame
          ? {
              ...before,
              status: next,
              error_json,
              retry_at: next === 'blocked' ? retryAt : null,
              revision: before.revision + 1,
              updated_at: at,
            }
          : (before ?? row);
        return {
          resource: resourceOf(row),
          before: fieldsOf(before ?? row),
          after: fieldsOf(after),
          write: () => updateScheduledChange(tx, after),
        };
      },
    },
  );
}
