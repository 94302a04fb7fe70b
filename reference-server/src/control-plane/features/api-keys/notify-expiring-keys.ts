import { DAY_MS } from '../../../lib/durations.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Database } from '../../../storage/database.ts';
import { systemActor } from '../../access/actor.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { resourceOf } from './api-key-record.ts';
import { listExpiringKeys, markExpiryNotified } from './api-key-store.ts';

/** Webhooks are notified this long before a key expires. */
const EXPIRY_NOTICE_MS = 7 * DAY_MS;

/** A job that writes an `api_key.expiring` entry, which webhooks deliver, once for each expiry date of a key. */
export function createExpiryNotifier(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): () => Promise<void> {
  const { db, gate, now } = deps;
  return async () => {
    const keys = await listExpiringKeys(db, {
      after: new Date(now()).toISOString(),
      until: new Date(now() + EXPIRY_NOTICE_MS).toISOString(),
    });
    await runSequentially(keys, (key) =>
      gate.applyChange(systemActor(key.organization_id), {
        action: 'api_key.expiring',
        permission: 'api_key.write',
        plan: async (tx) => ({
          resource: resourceOf(key),
          before: null,
          after: { expires_at: key.expires_at },
          write: () => markExpiryNotified(tx, key),
        }),
      }),
    );
  };
}
