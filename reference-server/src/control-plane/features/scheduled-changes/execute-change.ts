import { ApiError } from '../../../http/errors.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { ChangeOptions, ExtraEntry } from '../../write-gate/change.ts';
import type { Instruction } from '../flags/plans/instructions.ts';
import { resourceOf } from './scheduled-change-state.ts';
import { carryAlong, markExecuted } from './scheduled-change-store.ts';

/** Changes a flag by instructions, through the write gate. */
export type PatchFlag = (
  actor: Actor,
  address: { readonly flagId: string; readonly environmentId: string },
  instructions: readonly Instruction[],
  options: ChangeOptions,
) => Promise<{ readonly revision: number }>;

/**
 * Executes a scheduled change. That it is executed is noted in the transaction that changes the flag, by
 * compare-and-set: it happens once or not at all, whoever else tries at the same time, and whatever crashes.
 */
export async function executeChange(
  patch: PatchFlag,
  row: ScheduledChangeTable,
  actor: Actor,
  options: Pick<ChangeOptions, 'breakGlass' | 'comment' | 'dryRun' | 'idempotency'> = {},
): Promise<void> {
  const run = (isBased: boolean) =>
    patch(
      actor,
      { flagId: row.flag_id, environmentId: row.environment_id },
      JSON.parse(row.changes_json) as Instruction[],
      {
        comment: options.comment ?? row.comment ?? undefined,
        breakGlass: options.breakGlass,
        dryRun: options.dryRun,
        idempotency: options.idempotency,
        ifMatch: isBased ? [String(row.base_revision)] : undefined,
        async afterWrite(tx, at, result): Promise<readonly ExtraEntry[]> {
          if (!(await markExecuted(tx, row, at))) throw new ApiError('SCHEDULED_CHANGE_DONE');
          if (isBased) await carryAlong(tx, row, (result as { revision: number }).revision);
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
