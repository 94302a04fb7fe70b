import { DAY_MS } from '../../../lib/durations.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import { firstIdAt } from '../../../storage/ids.ts';
import { systemActor } from '../../access/actor.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { countOldEntries, deleteOldEntries } from './retention-store.ts';

/** Maximum number of entries deleted in one transaction, because a transaction blocks other writers. */
const CHUNK = 5_000;

export interface AuditRetentionDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
  readonly organizationSettings: (
    db: Queryable,
    organizationId: string,
  ) => Promise<{ readonly audit_retention_days: number | null }>;
}

/**
 * A job that deletes audit entries older than their organization's retention, in chunks. For each chunk, it writes an
 * audit entry with the number of deleted entries.
 */
export function createAuditRetention(deps: AuditRetentionDeps): () => Promise<void> {
  const { db, gate, now, organizationSettings } = deps;

  /** Deletes one chunk; true when there may be more. */
  async function purgeChunk(organizationId: string, days: number, time: number): Promise<boolean> {
    const beforeId = firstIdAt('evt', time);
    const total = await countOldEntries(db, { organizationId, beforeId, max: CHUNK });
    if (total === 0) return false;
    await gate.applyChange(systemActor(organizationId), {
      action: 'retention.pruned',
      permission: 'organization.update',
      plan: async (tx) => ({
        resource: { type: 'organization', id: organizationId },
        before: null,
        after: {
          audit_entries: total,
          older_than: new Date(time).toISOString(),
          audit_retention_days: days,
        },
        write: () => deleteOldEntries(tx, { organizationId, beforeId, max: total }),
      }),
    });
    return total === CHUNK;
  }

  return async () => {
    const organizations = await db.selectFrom('organizations').select('id').execute();
    await runSequentially(organizations, async ({ id }) => {
      const { audit_retention_days: days } = await organizationSettings(db, id);
      if (days === null) return;
      const time = now() - days * DAY_MS;
      while (await purgeChunk(id, days, time));
    });
  };
}
