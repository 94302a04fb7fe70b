import type { Tx } from '../../storage/database.ts';
import type { Actor } from '../access/actor.ts';
import type { AuditAction } from './audit-actions.ts';
import type { ChangeOptions, ExtraEntry, Plan } from './change.ts';
import type { Changes } from './diff.ts';

/** A check that can refuse a planned change: freeze windows, required comments, size limits. */
export interface Guard {
  /** Unique among the guards of a gate; for logs and tests. */
  readonly name: string;
  /** Refuses by throwing an `ApiError`. Writes nothing itself: the waiver writes whatever must be recorded. */
  check(tx: Tx, change: GuardedChange): Promise<Waiver | undefined>;
}

/** A planned change that a guard checks. */
export interface GuardedChange {
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly plan: Plan<unknown>;
  readonly changes: Changes;
  /** The time of the check; later than the start of the transaction for the later changes of a set. */
  readonly at: string;
  /** The options of the call; the same object for every change of a set. */
  readonly call: ChangeOptions;
}

/** What a guard records about a change that it permits, such as the break-glass session that permits it. */
export interface Waiver {
  /** The break-glass session that permits the change; default none. */
  readonly breakGlassId?: string;
  /** Runs after the change's write, in the same transaction, but not in a dry run. Returns further audit entries. */
  write(tx: Tx): Promise<readonly ExtraEntry[]>;
}
