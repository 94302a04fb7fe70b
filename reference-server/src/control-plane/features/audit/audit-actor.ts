import type { AuditEntryTable } from '../../../storage/tables.ts';

/** The author of a change, as audit entries and revisions show it. */
export interface AuditActor {
  readonly id: string | null;
  readonly email: string | null;
  /** The name that a service account had at the time of the change; null for users. */
  readonly name: string | null;
  readonly kind: string;
}

export function auditActor(
  row: Pick<AuditEntryTable, 'actor_id' | 'actor_email' | 'actor_name' | 'actor_kind'>,
): AuditActor {
  return { id: row.actor_id, email: row.actor_email, name: row.actor_name, kind: row.actor_kind };
}
