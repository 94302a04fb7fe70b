import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { isIndexed, searchWords } from '../../../storage/search-patterns.ts';
import { caseless, greater, isLike, listHolds } from '../../../storage/sql-dialect.ts';
import type { Tables } from '../../../storage/tables.ts';
import { documentsNamed } from '../../../storage/text-index.ts';
import type { STATUS_FILTERS } from './flag-schemas.ts';
import type { FlagState } from './flag-state.ts';
import { statesIn, toState } from './flag-store.ts';

/** Sample size for deciding whether most flags match a search. */
const SAMPLE = 100;

/** The filters, the order and the range of a list of flags. */
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

export type FlagFilter = Omit<FlagQuery, 'sort' | 'order' | 'limit' | 'offset'>;

/** Whether at least half of the project's flags match the search; default false. */
interface SearchHint {
  readonly isCommon?: boolean;
}

/**
 * One page of flags. Counts the matches and finds the ids of the page first, in an index over narrow rows, because
 * sorting thousands of flags with their JSON, or joining each with its configuration, takes many times as long.
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
  const isCommon = await isCommonSearch(db, organizationId, { ...filter, total });
  const ids = await matching(db, organizationId, { ...filter, isCommon })
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

/** The ids of all matching flags, oldest first. */
export async function listFlagIds(
  db: Queryable,
  organizationId: string,
  filter: FlagFilter,
): Promise<readonly string[]> {
  const rows = await matching(db, organizationId, filter).select('flags.id').orderBy('flags.id').execute();
  return rows.map((row) => row.id);
}

async function countMatching(db: Queryable, organizationId: string, filter: FlagFilter): Promise<number> {
  const { projectId: _project, environmentId: _environment, search = '', ...others } = filter;
  const words = searchWords(search);
  if (
    words.length > 0 &&
    words.every(isIndexed) &&
    Object.values(others).every((other) => other === undefined)
  ) {
    return (await isScanFaster(db, organizationId, filter))
      ? countByScan(db, organizationId, filter)
      : countInIndex(db, organizationId, filter);
  }
  const { total } = await matching(db, organizationId, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/**
 * Whether scanning all names is the fastest way to count: at least half of a sample matches, and every name is ASCII,
 * so that `like` matches exactly as the index does.
 */
async function isScanFaster(
  db: Queryable,
  organizationId: string,
  { projectId, search = '' }: FlagFilter,
): Promise<boolean> {
  if (!canScan(search)) return false;
  const all = present(organizationId, projectId);
  const { rows } = await sql<{ best: number }>`select (
    select count(*) from (${all} limit ${SAMPLE}) as flags where ${isInRow(searchWords(search))}) * 2 >= ${SAMPLE}
    and not exists (select 1 from (${all}) as flags where ${IS_FOREIGN}) as best`.execute(db);
  return rows[0]!.best === 1;
}

/** Counts matches of a search by scanning all names in an index. */
async function countByScan(
  db: Queryable,
  organizationId: string,
  { projectId, search = '' }: FlagFilter,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from (
    ${present(organizationId, projectId)}) as flags where ${isInRow(searchWords(search))}`.execute(db);
  return rows[0]!.total;
}

const present = (organizationId: string, projectId: string) => sql`select name, key from flags
  where project_id = ${projectId} and organization_id = ${organizationId}
  and status in ('active', 'draft', 'stale')`;

/** Counts matches of a search in the text index. That takes half as long as looking up each match in `flags`. */
async function countInIndex(
  db: Queryable,
  organizationId: string,
  { projectId, search = '' }: FlagFilter,
): Promise<number> {
  const documents = documentsNamed(searchWords(search));
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${documents}
    and found.organization_id = ${organizationId}
    and found.project_id = ${projectId} and found.type = 'flag' and found.id not in (
      select id from flags where organization_id = ${organizationId} and project_id = ${projectId}
      and status = 'archived')`.execute(db);
  return rows[0]!.total;
}

/**
 * Selects the matching flags. Reads the configuration of flags only for a filter on it. Without such a filter no join
 * is needed, because every flag has a configuration in each environment.
 */
function matching(db: Queryable, organizationId: string, filter: FlagFilter & SearchHint) {
  const { isCommon = false } = filter;
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
    all.push(sql<SqlBool>`coalesce((select own.last_evaluated_at from flag_environments as own
      where own.environment_id = ${environmentId} and own.flag_id = flags.id), '') < ${evaluatedBefore}`);
  }
  const words = searchWords(search);
  if (words.length > 0) all.push(found(words, isCommon));
  return all;
}

/**
 * Matches flags whose name or key contains every word. The index holds runs of three characters, so shorter words need
 * a scan. Common words are scanned as well, because the scan fills a page after a few rows, while the index would
 * return every match.
 */
function found(words: readonly string[], isCommon: boolean): Expression<SqlBool> {
  const indexed = words.filter(isIndexed);
  const short = words.filter((word) => !isIndexed(word));
  if (indexed.length === 0) return isInRow(short);
  const inIndex = sql<SqlBool>`flags.id in (select found.id from ${documentsNamed(indexed)})`;
  // The index folds the case of all letters, and even a Kelvin sign to k; `like` folds ASCII only.
  const all = isCommon ? sql<SqlBool>`(${isInRow(indexed)} or (${IS_FOREIGN} and ${inIndex}))` : inIndex;
  return short.length === 0 ? all : sql<SqlBool>`(${isInRow(short)} and ${all})`;
}

function isInRow(words: readonly string[]): Expression<SqlBool> {
  const each = words.map(
    (word) => sql<SqlBool>`(${isLike(sql`flags.name`, word)} or ${isLike(sql`flags.key`, word)})`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` and `)})`;
}

/** Matches names with non-ASCII letters, whose case `like` does not fold. */
const IS_FOREIGN = sql<SqlBool>`octet_length(flags.name) <> length(flags.name)`;

/** Whether `like` matches ASCII names exactly as the index does. */
const canScan = (search: string): boolean => /^[ -~]{3,}$/.test(search);

/** Whether a search matches at least half of the project's flags. False also for a search that `like` cannot run. */
async function isCommonSearch(
  db: Queryable,
  organizationId: string,
  { projectId, search = '', total }: FlagFilter & { readonly total: number },
): Promise<boolean> {
  if (!canScan(search)) return false;
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
