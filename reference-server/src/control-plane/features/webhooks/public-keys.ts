import type { Database } from '../../../storage/database.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { listPublicKeys } from './webhook-store.ts';

/** What another process has changed is told after so long at most. */
const KEPT_MS = 1_000;

/**
 * The public keys of all webhooks. Anyone may ask for them, as often as they like and uncounted, so the database is asked at
 * most once in `KEPT_MS`, and after each change that goes through `gate`.
 */
export function createPublicKeys(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): { readonly gate: WriteGate; readonly publicKeys: () => ReturnType<typeof listPublicKeys> } {
  const { db, gate, now } = deps;
  let kept: { readonly until: number; readonly keys: ReturnType<typeof listPublicKeys> } | undefined;
  const forget = (): void => {
    kept = undefined;
  };
  return {
    gate: { ...gate, applyChange: (...change) => gate.applyChange(...change).finally(forget) },
    publicKeys() {
      if (kept === undefined || now() >= kept.until) {
        const keys = listPublicKeys(db);
        kept = { until: now() + KEPT_MS, keys };
        keys.catch(forget);
      }
      return kept.keys;
    },
  };
}
