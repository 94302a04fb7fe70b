import type { NewId } from '../../storage/ids.ts';
import { insertOutboxRow } from '../outbox/outbox-store.ts';
import type { NewAuditEntry } from './audit-entry.ts';
import { insertAuditEntry, linkRevisions } from './audit-store.ts';
import type { ExtraEntry } from './change.ts';
import { type GateTransaction, raiseVersions } from './gate-transaction.ts';
import type { GuardedChange } from './guard.ts';
import { reachOf } from './reach.ts';

/** A change that has been written, with the entries to record about it. */
export interface WrittenChange extends Pick<GuardedChange, 'action' | 'plan' | 'changes'> {
  readonly breakGlassId: string | null;
  /** Entries from the waiver and from `afterWrite`. */
  readonly extraEntries: readonly ExtraEntry[];
}

/** Raises the ruleset versions, then stores the audit entries, each with its outbox row. */
export async function recordChange(
  newId: NewId,
  transaction: GateTransaction,
  change: WrittenChange,
): Promise<void> {
  const { tx, actor, at } = transaction;
  const reach = reachOf(change.plan);
  const versions = await raiseVersions(transaction, reach);
  for (const [index, entry] of entriesOf(transaction, change).entries()) {
    const id = newId('evt');
    if (index === 0) await linkRevisions(tx, id);
    await insertAuditEntry(tx, { ...entry, id, actor, breakGlassId: change.breakGlassId, at });
    const { flag } = entry.resource;
    const payload = { audit_id: id, versions, flag_keys: reach.served?.flagKeys ?? [], flag };
    await insertOutboxRow(tx, { organizationId: actor.organizationId, topic: entry.action, payload, at });
  }
}

type Entry = Omit<NewAuditEntry, 'id' | 'actor' | 'breakGlassId' | 'at'>;

/** The entries to store: first the change's own entry, unless the change did nothing. */
function entriesOf({ options }: GateTransaction, change: WrittenChange): readonly Entry[] {
  const { action, plan, changes, extraEntries } = change;
  const { resource, revision = null } = plan;
  const isShared = reachOf(plan).shared !== undefined;
  const comment = options.comment ?? null;
  const own = plan.isNoOp === true ? [] : [{ action, changes }, ...(plan.extraEntries ?? [])];
  return [
    ...own.map((entry) => ({ ...entry, resource, comment, revision, isShared })),
    ...extraEntries.map((entry) => ({ comment: null, ...entry, revision: null, isShared: false })),
  ];
}
