import { ApiError } from '../../../http/errors.ts';
import type { Actor } from '../../access/actor.ts';
import type { ChangeOptions, ExtraEntry } from '../../write-gate/change.ts';
import type { Instruction } from '../flags/plans/instructions.ts';
import { resourceOf } from './scheduled-change-state.ts';
import { markExecuted, moveBaseRevision, type ScheduledChangeRow } from './scheduled-change-store.ts';

/** Changes a flag by instructions, through the write gate. */
export type PatchFlag = (
  actor: Actor,
  wanted: {
    readonly flagId: string;
    readonly environmentId: string;
    readonly instructions: readonly Instruction[];
  },
  options: ChangeOptions,
) => Promise<{ readonly revision: number }>;

/**
 * Executes a scheduled change as the actor. The transaction that changes the flag also marks the change as executed, by
 * compare-and-set. The change is therefore executed at most once, even if processes compete or crash. Throws
 * CHANGE_CONFLICT when the flag is no longer at the base revision and `on_conflict` is `fail`, and
 * SCHEDULED_CHANGE_DONE when another process was faster.
 */
export async function executeChange(
  patch: PatchFlag,
  { row, actor }: { readonly row: ScheduledChangeRow; readonly actor: Actor },
  options: Pick<ChangeOptions, 'breakGlass' | 'comment' | 'dryRun' | 'idempotency'> = {},
): Promise<void> {
  const instructions = JSON.parse(row.changes_json) as Instruction[];
  const run = (isBased: boolean) =>
    patch(
      actor,
      { flagId: row.flag_id, environmentId: row.environment_id, instructions },
      {
        comment: options.comment ?? row.comment ?? undefined,
        breakGlass: options.breakGlass,
        dryRun: options.dryRun,
        idempotency: options.idempotency,
        ifMatch: isBased ? [String(row.base_revision)] : undefined,
        async afterWrite(tx, at, result): Promise<readonly ExtraEntry[]> {
          if (!(await markExecuted(tx, row, at))) throw new ApiError('SCHEDULED_CHANGE_DONE');
          if (isBased) await moveBaseRevision(tx, row, (result as { revision: number }).revision);
          return [
            {
              action: 'scheduled_change.executed',
              resource: resourceOf(row),
              changes: { status: { from: row.status, to: 'executed' } },
            },
          ];
        },
      },
    );
  const isBased = row.base_revision !== null;
  try {
    await run(isBased);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED') throw error;
    if (row.on_conflict === 'fail') throw new ApiError('CHANGE_CONFLICT', { details: error.details });
    await run(false);
  }
}
