import { sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { isLike } from '../../../storage/sql-dialect.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';

/** What entries are asked for; absent: any. */
export interface AuditFilter {
  readonly actor_id?: string | undefined;
  readonly actor_kind?: string | undefined;
  /** An action, or all of a noun: `flag.*`. */
  readonly action?: string | undefined;
  readonly resource_type?: string | undefined;
  readonly resource_id?: string | undefined;
  readonly project_id?: string | undefined;
  /** What was done there, or shows in all environments of its project. */
  readonly environment_id?: string | undefined;
  /** A break-glass session's id; `true` or `any`: whichever; `false`: none. */
  readonly break_glass?: string | undefined;
  /** ISO 8601 UTC: from then on. */
  readonly from?: string | undefined;
  /** ISO 8601 UTC: before then. */
  readonly to?: string | undefined;
  /** Text in action, key, e-mail, name or comment. */
  readonly q?: string | undefined;
  /** False leaves out what belongs to no project. */
  readonly everything: boolean;
}

export interface AuditRange {
  readonly limit: number;
  readonly offset: number;
  /** Only entries older than this one. */
  readonly cursor?: string | undefined;
}

function matching(db: Queryable, organizationId: string, filter: AuditFilter) {
  let query = db.selectFrom('audit_entries').where('organization_id', '=', organizationId);
  for (const column of ['actor_id', 'actor_kind', 'resource_type', 'resource_id', 'project_id'] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  const { action, environment_id, break_glass, from, to, q } = filter;
  if (!filter.everything) query = query.where('project_id', 'is not', null);
  // All that begins with the noun and a point; `/` is the letter after the point.
  if (action?.endsWith('.*')) {
    const noun = action.slice(0, -2);
    query = query.where('action', '>=', `${noun}.`).where('action', '<', `${noun}/`);
  } else if (action !== undefined) query = query.where('action', '=', action);
  if (environment_id !== undefined) {
    query = query.where((where) =>
      where.or([
        where('environment_id', '=', environment_id),
        where.and([where('project_wide', '=', 1), where('project_id', '=', projectOf(db, environment_id))]),
      ]),
    );
  }
  if (break_glass === 'false') query = query.where('break_glass_id', 'is', null);
  else if (break_glass === 'any' || break_glass === 'true') {
    query = query.where('break_glass_id', 'is not', null);
  } else if (break_glass !== undefined) {
    query = query.where((where) =>
      where.or([where('break_glass_id', '=', break_glass), where('resource_id', '=', break_glass)]),
    );
  }
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (to !== undefined) query = query.where('created_at', '<', to);
  if (q !== undefined) {
    query = query.where((where) =>
      where.or([
        isLike(sql`action`, q),
        isLike(sql`coalesce(resource_key, '')`, q),
        isLike(sql`coalesce(actor_email, actor_name, '')`, q),
        isLike(sql`coalesce(comment, '')`, q),
      ]),
    );
  }
  return query;
}

function projectOf(db: Queryable, environmentId: string) {
  return db.selectFrom('environments').select('project_id').where('id', '=', environmentId);
}

/** The newest first. */
export async function listAuditEntries(
  db: Queryable,
  organizationId: string,
  filter: AuditFilter,
  { limit, offset, cursor }: AuditRange,
): Promise<{ rows: readonly AuditEntryTable[]; total: number }> {
  const all = matching(db, organizationId, filter);
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const older = cursor === undefined ? all : all.where('id', '<', cursor);
  const rows = await older.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
  return { rows, total };
}

export async function findAuditEntry(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<AuditEntryTable | undefined> {
  return db
    .selectFrom('audit_entries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}
