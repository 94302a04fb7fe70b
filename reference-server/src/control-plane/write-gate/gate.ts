import { DryRun } from '../../http/dry-run.ts';
import type { Warning } from '../../http/warnings.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { writeExclusively } from '../../storage/transactions.ts';
import type { Actor } from '../access/actor.ts';
import { requireSomewhere } from '../access/permissions.ts';
import type { Permission } from '../access/roles.ts';
import { type Applied, type ApplyOneDeps, applyOne } from './apply-one.ts';
import { applySet } from './apply-set.ts';
import type { ChangeOptions, ChangeSet, Commit, WriteGate } from './change.ts';
import { type GateTransaction, openGateTransaction, toCommit } from './gate-transaction.ts';
import { findAnswer, type KeyUse, storeAnswer } from './idempotency.ts';
import { UNCONDITIONAL } from './preconditions.ts';

export interface WriteGateDeps extends ApplyOneDeps {
  readonly db: Database;
  /** Throws unless the actor still has the rights from the start of the request; default: not checked. */
  readonly requireCurrentRights?: ((tx: Tx, actor: Actor, at: string) => Promise<void>) | undefined;
  /** Runs after the commit and before the caller is answered. */
  readonly afterCommit: (commit: Commit) => void | Promise<void>;
}

/** What a transaction returns; without `commit` when the answer is a replay. */
interface Answered<Answer> {
  readonly answer: Answer;
  readonly warnings: readonly Warning[];
  readonly commit?: Commit;
}

export function createWriteGate(deps: WriteGateDeps): WriteGate {
  const { db, now, requireCurrentRights, afterCommit } = deps;

  /** Runs `act` in a transaction, or replays the stored answer; calls the listeners after the commit. */
  async function transact<Answer>(
    actor: Actor,
    { options, permission }: { readonly options: ChangeOptions; readonly permission: Permission | 'anyone' },
    act: (transaction: GateTransaction) => Promise<Applied<Answer>>,
  ): Promise<Answer> {
    const { idempotency, dryRun = false } = options;
    const { answer, warnings, commit } = await writeExclusively<Answered<Answer>>(db, actor, async (tx) => {
      const at = new Date(now()).toISOString();
      if (permission !== 'anyone') {
        await requireCurrentRights?.(tx, actor, at);
        requireSomewhere(actor, permission);
      }
      const keyUse: KeyUse | undefined = idempotency && {
        organizationId: actor.organizationId,
        idempotency,
        at,
      };
      const replay = keyUse && (await findAnswer<Answer>(tx, keyUse));
      if (replay !== undefined && !dryRun) {
        idempotency?.onReplay?.();
        return replay;
      }
      const transaction = openGateTransaction({ tx, actor, options, at });
      const { result, replayable } = await act(transaction);
      if (dryRun) throw new DryRun(transaction.planned);
      const { warnings } = transaction;
      if (keyUse !== undefined) await storeAnswer(tx, keyUse, { answer: replayable, warnings });
      return { answer: result, warnings, commit: toCommit(transaction) };
    });
    if (commit !== undefined) await afterCommit(commit);
    if (warnings.length > 0) options.onWarnings?.(warnings);
    return answer;
  }

  return {
    applyChange: (actor, change, options = {}) =>
      transact(actor, { options, permission: change.permission }, (transaction) =>
        applyOne(deps, transaction, change),
      ),

    applyChanges: <Result>(actor: Actor, set: ChangeSet<Result>, options: ChangeOptions = {}) => {
      // An entity tag belongs to one resource; a set has several.
      const unconditional = { ...options, ...UNCONDITIONAL };
      return transact(actor, { options: unconditional, permission: set.permission }, async (transaction) => {
        const outcomes = await applySet(deps, transaction, set);
        return { result: outcomes, replayable: outcomes };
      });
    },
  };
}
