import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';
import { type Actor, systemActor } from '../../access/actor.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { executeChange, type PatchFlag } from './execute-change.ts';
import { fieldsOf, isOpen, resourceOf } from './scheduled-change-state.ts';
import { findScheduledChange, listDue, setRetry, updateScheduledChange } from './scheduled-change-store.ts';

export interface RunDueDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
  readonly patchFlag: PatchFlag;
  /** The member as the one who acts now; undefined for one who has left or was disabled. */
  readonly findAuthor: (row: ScheduledChangeTable) => Promise<Actor | undefined>;
  /** Hears of what went wrong on our side; the change is tried again. */
  readonly onError: (error: unknown) => void;
}

/** A blocked change, and one that failed by our fault, is tried again after so long. */
const RETRY_MS = 60_000;

/**
 * Executes every scheduled change whose time has come, in the order of their times, also those that came while the
 * server was down. Changes of one flag in one environment never overtake each other.
 */
export function createRunDue(deps: RunDueDeps): () => Promise<void> {
  const { db, now, patchFlag } = deps;
  return async () => {
    const at = new Date(now()).toISOString();
    const held = new Set<string>();
    for (const due of await listDue(db, at)) {
      // Read again: what ran before it may have carried it along, or somebody has called it off.
      const row = await findScheduledChange(db, due.organization_id, due.id);
      if (row === undefined || !isOpen(row) || row.execute_at > at) continue;
      const place = `${row.environment_id} ${row.flag_id}`;
      // A clock that was set back does not keep it waiting until it has come to where it was.
      const wait = row.retry_at === null ? 0 : Date.parse(row.retry_at) - Date.parse(at);
      const waits = wait > 0 && wait <= RETRY_MS;
      if (waits || held.has(place)) {
        held.add(place);
        continue;
      }
      try {
        const author = await deps.findAuthor(row);
        if (author === undefined) throw new ApiError('INSUFFICIENT_PERMISSIONS', { message: AUTHOR_LEFT });
        await executeChange(patchFlag, row, author);
      } catch (error) {
        const next = outcomeOf(error, row);
        if (next === 'retry') deps.onError(error);
        if (next === 'retry' || next === 'blocked') held.add(place);
        await settle(deps, row, next, error);
      }
    }
  };
}

const AUTHOR_LEFT = 'Whoever planned this change is no member any more, or is disabled.';

type Next = 'retry' | 'done' | 'blocked' | 'failed' | 'conflicted';

function outcomeOf(error: unknown, row: ScheduledChangeTable): Next {
  if (!(error instanceof ApiError) || error.status >= 500) return 'retry';
  if (error.code === 'SCHEDULED_CHANGE_DONE') return 'done';
  if (error.code === 'FREEZE_WINDOW_ACTIVE') return row.on_freeze === 'defer' ? 'blocked' : 'failed';
  if (error.code === 'CHANGE_CONFLICT') return 'conflicted';
  // The instructions do not fit what has become of the flag.
  return error.status === 422 && row.on_conflict === 'rebase' ? 'conflicted' : 'failed';
}

async function settle(
  { db, gate, now }: RunDueDeps,
  row: ScheduledChangeTable,
  next: Next,
  error: unknown,
): Promise<void> {
  if (next === 'done') return;
  const retryAt = new Date(now() + RETRY_MS).toISOString();
  if (next === 'retry') return setRetry(db, row, { retry_at: retryAt });
  const { code, message, details } = error as ApiError;
  const error_json = JSON.stringify({ code, message, details });
  // That it still waits is nothing new, though it may be another window that it waits for.
  if (next === row.status) return setRetry(db, row, { retry_at: retryAt, error_json });
  const system = systemActor(row.organization_id);
  await gate.applyChange(
    { ...system, origin: { ...system.origin, via: 'schedule' } },
    {
      action: `scheduled_change.${next}`,
      permission: 'flag.write',
      async plan(tx, at) {
        const before = await findScheduledChange(tx, row.organization_id, row.id);
        const isSame = before !== undefined && isOpen(before) && before.revision === row.revision;
        // Somebody has changed or cancelled it in between: then this is not its outcome.
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
