import type { Queryable, Tx } from '../../storage/database.ts';
import type { Actor } from '../access/authorize.ts';
import { type AuditActor, auditActor } from '../features/audit/audit-actor.ts';
import type { Changes } from './diff.ts';
import type { Resource } from './gate.ts';

/** What is written down about one change. */
export interface NewAuditEntry {
  readonly id: string;
  readonly actor: Actor;
  readonly action: string;
  readonly resource: Resource;
  readonly changes: Changes;
  readonly comment: string | null;
  readonly at: string;
  readonly breakGlassId: string | null;
  /** The resource's revision before. */
  readonly revision: number | null;
}

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
      project_wide: resource.projectWide === true ? 1 : 0,
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
    })
    .execute();
}

/** What the consumer of the outbox finds the change by. */
export async function insertOutboxRow(
  tx: Tx,
  row: { readonly actor: Actor; readonly topic: string; readonly payload: object; readonly at: string },
): Promise<void> {
  await tx
    .insertInto('outbox')
    .values({
      organization_id: row.actor.organizationId,
      topic: row.topic,
      payload_json: JSON.stringify(row.payload),
      created_at: row.at,
      delivered_at: null,
    })
    .execute();
}

/** Says which change the revisions came from that triggers have kept since the last one. */
export async function linkRevisions(tx: Tx, auditId: string): Promise<void> {
  await tx.updateTable('flag_revisions').set({ audit_id: auditId }).where('audit_id', 'is', null).execute();
}

/** One entry as `GET /flags/{flag_id}/history` shows it ("Audit history entry"). */
export interface HistoryEntry {
  readonly id: string;
  readonly action: string;
  readonly actor: AuditActor;
  readonly changes: Changes;
  readonly timestamp: string;
}

/** The newest first: what was changed in the environment, or in all of them. */
export async function listHistory(
  db: Queryable,
  organizationId: string,
  resourceId: string,
  environmentId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ entries: readonly HistoryEntry[]; total: number }> {
  const matching = db
    .selectFrom('audit_entries')
    .where('organization_id', '=', organizationId)
    .where('resource_id', '=', resourceId)
    .where((eb) => eb.or([eb('environment_id', '=', environmentId), eb('project_wide', '=', 1)]));
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
  return {
    total,
    entries: rows.map((row) => ({
      id: row.id,
      action: row.action,
      actor: auditActor(row),
      changes: JSON.parse(row.changes_json) as Changes,
      timestamp: row.created_at,
    })),
  };
}

/** How many entries have an id before this one; counts no further than `most`. */
export async function countEntriesBefore(
  db: Queryable,
  organizationId: string,
  firstId: string,
  most: number,
): Promise<number> {
  const rows = await entriesBefore(db, organizationId, firstId, most).execute();
  return rows.length;
}

/** Removes the oldest entries, at most so many. */
export async function deleteEntriesBefore(
  tx: Tx,
  organizationId: string,
  firstId: string,
  most: number,
): Promise<void> {
  await tx
    .deleteFrom('audit_entries')
    .where('id', 'in', entriesBefore(tx, organizationId, firstId, most))
    .execute();
}

function entriesBefore(db: Queryable, organizationId: string, firstId: string, most: number) {
  return db
    .selectFrom('audit_entries')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<', firstId)
    .orderBy('id')
    .limit(most);
}
