import { createHash } from 'node:crypto';
import type { AuditEntryTable } from '../../storage/tables.ts';
import type { NewAuditEntry } from './audit-entry.ts';
import { auditLeaf, LEAF_VERSION } from './audit-leaf.ts';

/** Why a stored audit entry contradicts its leaf; undefined if they agree. The entry must have a leaf. */
export function findLeafFault(row: AuditEntryTable): string | undefined {
  const content = row.content_json ?? '';
  if (createHash('sha256').update(content).digest('hex') !== row.leaf_hash)
    return 'its content does not have its hash';
  // Only leaves of this version can be computed again from the columns.
  if ((JSON.parse(content) as { version: unknown }).version !== LEAF_VERSION) return undefined;
  return auditLeaf(entryOf(row)).content_json === content ? undefined : 'its columns differ from its content';
}

/** The entry from which the row was stored. Leaves contain no personal fields, so those may have been erased. */
function entryOf(row: AuditEntryTable): NewAuditEntry {
  const entry: { [Name in keyof NewAuditEntry]: unknown } = {
    id: row.id,
    at: row.created_at,
    action: row.action,
    actor: {
      organizationId: row.organization_id,
      kind: row.actor_kind,
      id: row.actor_id,
      tokenId: row.actor_token_id,
      origin: { via: row.via, requestId: row.request_id },
    },
    resource: {
      type: row.resource_type,
      id: row.resource_id,
      key: row.resource_key,
      projectId: row.project_id,
      environmentId: row.environment_id,
    },
    changes: JSON.parse(row.changes_json),
    comment: row.comment,
    revision: row.revision,
    breakGlassId: row.break_glass_id,
    isShared: row.project_wide === 1,
  };
  return entry as unknown as NewAuditEntry;
}
