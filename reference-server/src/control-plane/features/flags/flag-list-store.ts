import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { isIndexed, searchWords } from '../../../storage/search-patterns.ts';
import { caseless, greater, isLike, listHolds } from '../../../storage/sql-dialect.ts';
import type { Tables } from '../../../storage/tables.ts';
import { documentsNamed } from '../../../storage/text-index.ts';
import type { STATUS_FILTERS } from './flag-schemas.ts';
import type { FlagState } from './flag-state.ts';
import { lastEvaluated, statesIn, toState } from './flag-store.ts';

/** So many flags tell whether a search is common. */
const SAMPLE = 100;

/** What a list of flags is filtered and sorted by. */
export interface FlagQuery {
  /** The project of the environment. */
  readonly projectId: string;
  readonly environmentId: string;
  readonly status?: (typeof STATUS_FILTERS)[number] | undefined;
  readonly flagType?: string | undefined;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly classification?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly staleReason?: string | undefined;
  /** Flags without an evaluation in the environment at or after this time. */
  readonly evaluatedBefore?: string | undefined;
  readonly sort: 'name' | 'key' | 'created_at' | 'updated_at';
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** What a list is filtered by. */
export type FlagFilter = Omit<FlagQuery, 'sort' | 'order' | 'limit' | 'offset'>;

/**
 * One page. The ids are found first, on narrow rows and by an index, and counted apart: sorting thousands of flags
 * with their JSON, or joining each with its configuration, takes many times as long.
 */
export async function listFlags(
  db: Queryable,
  organizationId: string,
  query: FlagQuery,
): Promise<{ flags: readonly FlagState[]; total: number }> {
  const { sort, order, limit, offset, ...filter } = query;
  const { environmentId } = filter;
  const total = await countMatching(db, organizationId, filter);
  if (offset >= total) return { flags: [], total };
  const isCommon = await findsEveryOther(db, organizationId, filter, total);
  const ids = await matching(db, organizationId, filter, isCommon)
    .select('flags.id')
    .orderBy(SORTS[sort](environmentId), order)
    .orderBy('flags.id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  const rows = await statesIn(db, organizationId, environmentId)
    .where(
      'flags.id',
      'in',
      ids.map((row) => row.id),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { flags: ids.map(({ id }) => toState(byId.get(id)!)), total };
}

const SORTS = {
  name: () => caseless('flags.name'),
  key: () => sql`flags.key`,
  created_at: () => sql`flags.created_at`,
  updated_at: (environmentId: string) =>
    greater(
      sql`flags.updated_at`,
      sql`(select own.updated_at from flag_environments as own
        where own.environment_id = ${environmentId} and own.flag_id = flags.id)`,
    ),
};

/** All ids that a filter finds, the oldest first. */
export async function listFlagIds(
  db: Queryable,
  organizationId: string,
  filter: FlagFilter,
): Promise<readonly string[]> {
  const rows = await matching(db, organizationId, filter).select('flags.id').orderBy('flags.id').execute();
  return rows.map((row) => row.id);
}

/** How many flags a filter finds. */
async function countMatching(db: Queryable, organizationId: string, filter: FlagFilter): Promise<number> {
  const { projectId, environmentId: _, search = '', ...others } = filter;
  const words = searchWords(search);
  if (
    words.length > 0 &&
    words.every(isIndexed) &&
    Object.values(others).every((other) => other === undefined)
  ) {
    return (await isReadBest(db, organizationId, filter))
      ? countRead(db, organizationId, projectId, search)
      : countFound(db, organizationId, projectId, documentsNamed(words));
  }
  const { total } = await matching(db, organizationId, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Whether a search finds every other one of a few flags, and `like` would miss none of them all. */
async function isReadBest(
  db: Queryable,
  organizationId: string,
  { projectId, search = '' }: FlagFilter,
): Promise<boolean> {
  if (!canBeRead(search)) return false;
  const all = present(organizationId, projectId);
  const { rows } = await sql<{ best: number }>`select (
    select count(*) from (${all} limit ${SAMPLE}) as flags where ${read(searchWords(search))}) * 2 >= ${SAMPLE}
    and not exists (select 1 from (${all}) as flags where ${IS_FOREIGN}) as best`.execute(db);
  return rows[0]!.best === 1;
}

/** What a search alone finds, counted by reading all names, in the index that counts flags. */
async function countRead(
  db: Queryable,
  organizationId: string,
  projectId: string,
  search: string,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from (
    ${present(organizationId, projectId)}) as flags where ${read(searchWords(search))}`.execute(db);
  return rows[0]!.total;
}

const present = (organizationId: string, projectId: string) => sql`select name, key from flags
  where project_id = ${projectId} and organization_id = ${organizationId}
  and status in ('active', 'draft', 'stale')`;

/** What a search alone finds, counted in the index: half the time of looking each of thousands up among the flags. */
async function countFound(
  db: Queryable,
  organizationId: string,
  projectId: string,
  documents: Expression<unknown>,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${documents}
    and found.organization_id = ${organizationId}
    and found.project_id = ${projectId} and found.type = 'flag' and found.id not in (
      select id from flags where organization_id = ${organizationId} and project_id = ${projectId}
      and status = 'archived')`.execute(db);
  return rows[0]!.total;
}

/** A flag has a configuration in every environment of its project, so only what asks for it looks at it. */
function matching(db: Queryable, organizationId: string, filter: FlagFilter, isCommon = false) {
  return db
    .selectFrom('flags')
    .where('flags.organization_id', '=', organizationId)
    .where('flags.project_id', '=', filter.projectId)
    .where((eb) => eb.and(conditions(eb, filter, isCommon)));
}

function conditions(
  eb: ExpressionBuilder<Tables, 'flags'>,
  query: FlagFilter,
  isCommon: boolean,
): Expression<SqlBool>[] {
  const { environmentId, status, flagType, search = '', tag, classification, ownerId } = query;
  const { staleReason, evaluatedBefore } = query;
  const all: Expression<SqlBool>[] = [
    status === undefined || status === 'inactive'
      ? eb('flags.status', '!=', 'archived')
      : eb('flags.status', '=', status),
  ];
  if (status === 'inactive') {
    all.push(sql<SqlBool>`exists (select 1 from flag_environments as own
      where own.environment_id = ${environmentId} and own.flag_id = flags.id and own.enabled = 0)`);
  }
  if (flagType !== undefined) all.push(eb('flags.flag_type', '=', flagType));
  if (classification !== undefined) all.push(eb('flags.classification', '=', classification));
  if (ownerId !== undefined) all.push(eb('flags.owner_id', '=', ownerId));
  if (tag !== undefined) {
    all.push(listHolds('flags.tags_json', tag));
  }
  if (staleReason !== undefined) {
    all.push(listHolds('flags.stale_reasons_json', staleReason));
  }
  if (evaluatedBefore !== undefined) {
    all.push(sql<SqlBool>`coalesce(${lastEvaluated(environmentId)}, '') < ${evaluatedBefore}`);
  }
  const words = searchWords(search);
  if (words.length > 0) all.push(found(words, isCommon));
  return all;
}

/**
 * Each word somewhere in name or key. The index holds runs of three characters: shorter ones are looked for in every
 * row. So are those that are common, since a page of them is full after a few rows, and the index would be asked for
 * all of them.
 */
function found(words: readonly string[], isCommon: boolean): Expression<SqlBool> {
  const indexed = words.filter(isIndexed);
  const short = words.filter((word) => !isIndexed(word));
  if (indexed.length === 0) return read(short);
  const inIndex = sql<SqlBool>`flags.id in (select found.id from ${documentsNamed(indexed)})`;
  // The index ignores the case of all letters, and finds a Kelvin sign by a k; `like` knows those of ASCII alone.
  const all = isCommon ? sql<SqlBool>`(${read(indexed)} or (${IS_FOREIGN} and ${inIndex}))` : inIndex;
  return short.length === 0 ? all : sql<SqlBool>`(${read(short)} and ${all})`;
}

function read(words: readonly string[]): Expression<SqlBool> {
  const each = words.map(
    (word) => sql<SqlBool>`(${isLike(sql`flags.name`, word)} or ${isLike(sql`flags.key`, word)})`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` and `)})`;
}

/** A name with letters beyond ASCII, of which `like` does not know the case. */
const IS_FOREIGN = sql<SqlBool>`octet_length(flags.name) <> length(flags.name)`;

/** Whether `like` finds it, in names of ASCII, as the index does. */
const canBeRead = (search: string): boolean => /^[ -~]{3,}$/.test(search);

/** Whether a search finds at least every other flag of the project; not asked of what `like` cannot look for. */
async function findsEveryOther(
  db: Queryable,
  organizationId: string,
  { projectId, search = '' }: FlagFilter,
  total: number,
): Promise<boolean> {
  if (!canBeRead(search)) return false;
  const more = await db
    .selectFrom('flags')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .limit(1)
    .offset(2 * total)
    .executeTakeFirst();
  return more === undefined;
}
