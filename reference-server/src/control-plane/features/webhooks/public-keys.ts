import type { Database } from '../../../storage/database.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { listPublicKeys } from './webhook-store.ts';

/** How long keys are cached. A change that another process makes can take this long to show. */
const CACHE_MS = 1_000;

export interface PublicKeys {
  /** The ids and public keys of all webhooks that sign with Ed25519. */
  readonly publicKeys: () => ReturnType<typeof listPublicKeys>;
}

/**
 * Caches the public keys, which anyone may request without a limit. The returned gate clears the cache after each change
 * that goes through it.
 */
export function createPublicKeys(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): PublicKeys & { readonly gate: WriteGate } {
  const { db, gate, now } = deps;
  let cached: { readonly until: number; readonly keys: ReturnType<typeof listPublicKeys> } | undefined;
  const clear = (): void => {
    cached = undefined;
  };
  return {
    gate: { ...gate, applyChange: (...change) => gate.applyChange(...change).finally(clear) },
    publicKeys() {
      if (cached === undefined || now() >= cached.until) {
        const keys = listPublicKeys(db);
        cached = { until: now() + CACHE_MS, keys };
        keys.catch(clear);
      }
      return cached.keys;
    },
  };
}
