import type { Database } from '../../../storage/database.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';

/** Entries of an organization with ids from `from` on, oldest first. */
export async function listEntriesFrom(
  db: Database,
  organizationId: string,
  { from, limit }: { readonly from: string; readonly limit: number },
): Promise<readonly AuditEntryTable[]> {
  return db
    .selectFrom('audit_entries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '>=', from)
    .orderBy('id')
    .limit(limit)
    .execute();
}
