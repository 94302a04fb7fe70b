import { eachApart } from '../../each-apart.ts';
import { systemActor } from '../../http/authorize.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteGate } from '../audit/apply-change.ts';
import { resourceOf } from './api-key-service.ts';

/** How long before a key expires its owners are told. */
export const EXPIRY_NOTICE_MS = 7 * 24 * 60 * 60 * 1000;

/** Writes down, for webhooks to tell, that a key will soon be refused; once for each end that it is given. */
export function createExpiryNotices(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): () => Promise<void> {
  const { db, gate, now } = deps;
  return async () => {
    const keys = await db
      .selectFrom('api_keys')
      .innerJoin('projects', 'projects.id', 'api_keys.project_id')
      .selectAll('api_keys')
      .where('api_keys.revoked_at', 'is', null)
      .where('projects.archived_at', 'is', null)
      .where('expires_at', '>', new Date(now()).toISOString())
      .where('expires_at', '<=', new Date(now() + EXPIRY_NOTICE_MS).toISOString())
      .whereRef('noticed_expiry', 'is distinct from', 'expires_at')
      .execute();
    await eachApart(keys, (key) =>
      gate.applyChange(systemActor(key.organization_id), {
        action: 'api_key.expiring',
        permission: 'api_key.write',
        plan: async (tx) => ({
          resource: resourceOf(key),
          before: null,
          after: { expires_at: key.expires_at },
          async write() {
            const noticed_expiry = key.expires_at;
            await tx.updateTable('api_keys').set({ noticed_expiry }).where('id', '=', key.id).execute();
          },
        }),
      }),
    );
  };
}
