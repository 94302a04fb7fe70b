import type { Queryable } from '../../../storage/database.ts';
import { type AuditActor, auditActor } from '../audit/audit-actor.ts';

/** One half of a flag as it was written: the shared one when `environment_id` is empty. */
export interface HalfRow {
  readonly seq: number;
  readonly environment_id: string;
  readonly revision: number;
  readonly audit_id: string | null;
  readonly created_at: string;
}

/** What was written of a flag, as far as the environment shows it, in the order of writing. */
export async function listHalves(
  db: Queryable,
  flagId: string,
  environmentId: string,
): Promise<readonly HalfRow[]> {
  return db
    .selectFrom('flag_revisions')
    .select(['seq', 'environment_id', 'revision', 'audit_id', 'created_at'])
    .where('flag_id', '=', flagId)
    .where('environment_id', 'in', ['', environmentId])
    .orderBy('seq')
    .execute();
}

/** The columns of the two halves, merged. */
export async function readContent(
  db: Queryable,
  halves: readonly [shared: number, own: number],
): Promise<Readonly<Record<string, unknown>>> {
  const rows = await db
    .selectFrom('flag_revisions')
    .select('content_json')
    .where('seq', 'in', halves)
    .execute();
  return Object.assign({}, ...rows.map((row) => JSON.parse(row.content_json) as object));
}

/** Who made a change, and why. */
export interface Authorship {
  readonly action: string;
  readonly actor: AuditActor;
  readonly comment: string | null;
}

/** By audit entry; entries that are gone are left out. */
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
