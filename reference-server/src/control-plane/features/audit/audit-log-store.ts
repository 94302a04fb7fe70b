import { sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { isLike } from '../../../storage/sql-dialect.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';

/** The highest number of matching entries that is counted. */
export const TOTAL_MAX = 10_000;

/** Conditions that an entry must meet; absent ones are not checked. */
export interface AuditFilter {
  readonly actor_id?: string | undefined;
  readonly actor_kind?: string | undefined;
  /** An action, or all actions of a noun: `flag.*`. */
  readonly action?: string | undefined;
  readonly resource_type?: string | undefined;
  readonly resource_id?: string | undefined;
  readonly project_id?: string | undefined;
  /** Entries that concern this environment or all environments of its project. */
  readonly environment_id?: string | undefined;
  /** The id of a break-glass session; `true` or `any` for entries of any session; `false` for all other entries. */
  readonly break_glass?: string | undefined;
  /** ISO 8601 UTC, inclusive. */
  readonly from?: string | undefined;
  /** ISO 8601 UTC, exclusive. */
  readonly to?: string | undefined;
  /** Text that occurs in the action, key, e-mail, name or comment. */
  readonly q?: string | undefined;
  /** False leaves out entries that belong to no project. */
  readonly withoutProject: boolean;
}

export interface AuditRange {
  readonly limit: number;
  readonly offset: number;
  /** Only entries older than the one with this id. */
  readonly cursor?: string | undefined;
}

function matching(db: Queryable, organizationId: string, filter: AuditFilter) {
  let query = db.selectFrom('audit_entries').where('organization_id', '=', organizationId);
  for (const column of ['actor_id', 'actor_kind', 'resource_type', 'resource_id', 'project_id'] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  const { action, environment_id, break_glass, from, to, q } = filter;
  if (!filter.withoutProject) query = query.where('project_id', 'is not', null);
  // Everything that begins with the noun and a dot; `/` is the character after the dot.
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

/** The matching entries, newest first. */
export async function listAuditEntries(
  db: Queryable,
  { organizationId, ...filter }: AuditFilter & { readonly organizationId: string },
  { limit, offset, cursor }: AuditRange,
): Promise<{ rows: readonly AuditEntryTable[]; total: number }> {
  const all = matching(db, organizationId, filter);
  const isPeriod = filter.from !== undefined || filter.to !== undefined;
  const rest = cursor === undefined ? all : await after(db, all, { organizationId, cursor, isPeriod });
  // Both orders are the same, but a period is found in the index by time, and everything else by id.
  const ordered = isPeriod ? rest.orderBy('created_at', 'desc') : rest;
  const rows = await ordered.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
  // A page that is not full says by itself how many entries there are.
  const isLast = cursor === undefined && rows.length < limit && (rows.length > 0 || offset === 0);
  return { rows, total: isLast ? Math.min(offset + rows.length, TOTAL_MAX) : await countUpTo(db, all) };
}

/** The entries that follow the one with the id `cursor`. */
async function after(
  db: Queryable,
  all: ReturnType<typeof matching>,
  {
    organizationId,
    cursor,
    isPeriod,
  }: { readonly organizationId: string; readonly cursor: string; readonly isPeriod: boolean },
) {
  const last = isPeriod ? await findAuditEntry(db, organizationId, cursor) : undefined;
  // An entry that retention has deleted has no time any more, but its id still tells what is older.
  if (last === undefined) return all.where('id', '<', cursor);
  const { created_at } = last;
  return all
    .where('created_at', '<=', created_at)
    .where((where) => where.or([where('created_at', '<', created_at), where('id', '<', cursor)]));
}

/** Counts matching entries, but no more than `TOTAL_MAX`: the log grows without end. */
async function countUpTo(db: Queryable, all: ReturnType<typeof matching>): Promise<number> {
  const { total } = await db
    .selectFrom(all.select(sql<number>`1`.as('one')).limit(TOTAL_MAX).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
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
