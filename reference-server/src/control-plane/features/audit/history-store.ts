import type { Queryable } from '../../../storage/database.ts';
import type { Changes } from '../../write-gate/diff.ts';
import { type AuditActor, auditActor } from './audit-actor.ts';

/** One entry as `GET /flags/{flag_id}/history` returns it ("Audit history entry"). */
export interface HistoryEntry {
  readonly id: string;
  readonly action: string;
  readonly actor: AuditActor;
  readonly changes: Changes;
  readonly timestamp: string;
}

export interface History {
  readonly entries: readonly HistoryEntry[];
  readonly total: number;
}

/** Selects the history of a resource in one environment. */
export interface HistoryQuery {
  readonly organizationId: string;
  readonly resourceId: string;
  readonly environmentId: string;
}

/** A resource's audit entries that concern one environment or all environments, newest first. */
export async function listHistory(
  db: Queryable,
  { organizationId, resourceId, environmentId }: HistoryQuery,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<History> {
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

export type ListHistory = typeof listHistory;
