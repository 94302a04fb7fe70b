import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { ApiError } from '../../http/errors.ts';
import { type ApplyOneDeps, applyOne } from './apply-one.ts';
import type { Change, ChangeSet, Outcome, Refusal } from './change.ts';
import { isRefused, refusedPlan } from './describe-plan.ts';
import type { GateTransaction } from './gate-transaction.ts';

/** After this many changes, a long set lets other requests of the process run. */
const CHANGES_PER_SLICE = 100;

/** Applies the changes of a set one after the other in the same transaction. */
export async function applySet<Result>(
  deps: ApplyOneDeps,
  transaction: GateTransaction,
  set: ChangeSet<Result>,
): Promise<readonly Outcome<Result>[]> {
  const { tx, at, options, planned } = transaction;
  const apply = set.atomic === 'each' ? applyInSavepoint<Result> : applyOrThrow<Result>;
  const outcomes: Outcome<Result>[] = [];
  let last: Change<Result> | undefined;
  try {
    for await (const change of set.changes(tx, at)) {
      last = change;
      outcomes.push({ ...(await apply(deps, transaction, change)), resourceId: change.resourceId });
      if (outcomes.length % CHANGES_PER_SLICE === 0) await setImmediate();
    }
  } catch (error) {
    // In a dry run, a guard's refusal does not end the set, and a later change may fail as a consequence. The caller
    // needs to see both errors.
    const hasRefusal = options.dryRun === true && planned.some(isRefused);
    if (!hasRefusal || last === undefined || !(error instanceof ApiError)) throw error;
    planned.push(refusedPlan(last.action, error));
  }
  return outcomes;
}

async function applyOrThrow<Result>(
  deps: ApplyOneDeps,
  transaction: GateTransaction,
  change: Change<Result>,
): Promise<Outcome<Result>> {
  const { result } = await applyOne(deps, transaction, change);
  return { ok: true, result };
}

/** Applies a change and undoes only this change if it is refused; any other error ends the set. */
async function applyInSavepoint<Result>(
  deps: ApplyOneDeps,
  transaction: GateTransaction,
  change: Change<Result>,
): Promise<Outcome<Result>> {
  const { tx, planned } = transaction;
  const undo = async ({ code, message, details }: Refusal): Promise<Outcome<Result>> => {
    await sql`rollback to one_change`.execute(tx);
    await sql`release one_change`.execute(tx);
    return { ok: false, error: { code, message, details } };
  };
  const plannedBefore = planned.length;
  await sql`savepoint one_change`.execute(tx);
  try {
    const { result } = await applyOne(deps, transaction, change);
    // In a dry run, a guard's refusal is not thrown, but the next change must not build on a refused one.
    const refused = planned.slice(plannedBefore).find(isRefused);
    if (refused !== undefined) return await undo(refused.gate as Refusal);
    await sql`release one_change`.execute(tx);
    return { ok: true, result };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    planned.push(refusedPlan(change.action, error));
    return undo(error);
  }
}
