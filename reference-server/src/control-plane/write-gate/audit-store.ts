import type { Tx } from '../../storage/database.ts';
import type { NewAuditEntry } from './audit-entry.ts';
import { auditLeaf } from './audit-leaf.ts';

/** Stores an entry: the immutable leaf, and columns for queries, which also contain the personal fields. */
export async function insertAuditEntry(tx: Tx, entry: NewAuditEntry): Promise<void> {
  const { actor, resource } = entry;
  await tx
    .insertInto('audit_entries')
    .values({
      organization_id: actor.organizationId,
      id: entry.id,
      action: entry.action,
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_email: actor.email,
      actor_name: actor.name ?? null,
      actor_token_id: actor.tokenId ?? null,
      resource_type: resource.type,
      resource_id: resource.id,
      resource_key: resource.key ?? null,
      project_id: resource.projectId ?? null,
      environment_id: resource.environmentId ?? null,
      project_wide: entry.isShared ? 1 : 0,
      changes_json: JSON.stringify(entry.changes),
      comment: entry.comment,
      via: actor.origin.via,
      request_id: actor.origin.requestId,
      ip: actor.origin.ip,
      user_agent: actor.origin.userAgent,
      created_at: entry.at,
      break_glass_id: entry.breakGlassId,
      change_request_id: null,
      revision: entry.revision,
      ...auditLeaf(entry),
    })
    .execute();
}

/** Sets the audit entry of all flag revisions that database triggers have stored since the previous call. */
export async function linkRevisions(tx: Tx, auditId: string): Promise<void> {
  await tx.updateTable('flag_revisions').set({ audit_id: auditId }).where('audit_id', 'is', null).execute();
}
