import type { Queryable } from '../../../storage/database.ts';
import { type AuditActor, auditActor } from '../audit/audit-actor.ts';

/** A stored part of a flag. In the part that environments share, `environment_id` is empty. */
export interface PartRow {
  readonly seq: number;
  readonly environment_id: string;
  readonly revision: number;
  readonly audit_id: string | null;
  readonly created_at: string;
}

/** The parts of a flag that make up its state in an environment, in the order in which they were written. */
export async function listParts(
  db: Queryable,
  flagId: string,
  environmentId: string,
): Promise<readonly PartRow[]> {
  return db
    .selectFrom('flag_revisions')
    .select(['seq', 'environment_id', 'revision', 'audit_id', 'created_at'])
    .where('flag_id', '=', flagId)
    .where('environment_id', 'in', ['', environmentId])
    .orderBy('seq')
    .execute();
}

/** The columns of the two parts, merged. */
export async function readContent(
  db: Queryable,
  parts: readonly [shared: number, own: number],
): Promise<Readonly<Record<string, unknown>>> {
  const rows = await db
    .selectFrom('flag_revisions')
    .select('content_json')
    .where('seq', 'in', parts)
    .execute();
  return Object.assign({}, ...rows.map((row) => JSON.parse(row.content_json) as object));
}

/** The author of a change and the reason given for it. */
export interface Authorship {
  readonly action: string;
  readonly actor: AuditActor;
  readonly comment: string | null;
}

/** Authorship by id of the audit entry; deleted entries are left out. */
export async function findAuthorship(
  db: Queryable,
  organizationId: string,
  auditIds: readonly string[],
): Promise<ReadonlyMap<string, Authorship>> {
  if (auditIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('audit_entries')
    .select(['id', 'action', 'actor_id', 'actor_email', 'actor_name', 'actor_kind', 'comment'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', auditIds)
    .execute();
  return new Map(
    rows.map(({ id, action, comment, ...row }) => [id, { action, actor: auditActor(row), comment }]),
  );
}
