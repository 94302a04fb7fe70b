import type { WriteGate } from '../control-plane/write-gate/change.ts';
import { createWriteGate } from '../control-plane/write-gate/gate.ts';
import type { Database } from '../storage/database.ts';
import { createIds } from '../storage/ids.ts';

/**
 * A write gate for maintenance commands, which run without a server. It has no guards and publishes nothing, so it is
 * only for changes that affect no ruleset.
 */
export function createOperatorGate(db: Database, now: () => number): WriteGate {
  return createWriteGate({ db, now, newId: createIds(now), guards: [], afterCommit: () => {} });
}
