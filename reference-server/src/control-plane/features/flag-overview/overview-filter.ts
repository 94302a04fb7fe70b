import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { isIndexed, searchWords } from '../../../storage/search-patterns.ts';
import { greater, isLike, listHolds } from '../../../storage/sql-dialect.ts';
import { documentsNamed } from '../../../storage/text-index.ts';
import type { ServingState } from './serving-state.ts';

/** Conditions on the flags of a project; all of them must hold. A list holds if any of its values matches. */
export interface OverviewFilter {
  readonly projectId: string;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  /** Default: all except archived. */
  readonly statuses?: readonly string[] | undefined;
  readonly flagTypes?: readonly string[] | undefined;
  readonly classifications?: readonly string[] | undefined;
  readonly ownerId?: string | undefined;
  readonly staleReasons?: readonly string[] | undefined;
  readonly changedSince?: string | undefined;
  /** In this environment, or in any environment of the project. */
  readonly environmentId?: string | undefined;
  readonly states?: readonly ServingState[] | undefined;
}

/** SQL for the last change of a flag, in any environment. */
export const CHANGED_AT: RawBuilder<string> = greater(
  sql<string>`flags.updated_at`,
  sql<string>`coalesce((select max(own.updated_at) from flag_environments as own where own.flag_id = flags.id), '')`,
);

/** SQL for the hour of the last reported evaluation of a flag, in any environment; empty if there was none. */
export const EVALUATED_AT: RawBuilder<string> = sql<string>`coalesce((select max(own.last_evaluated_at)
  from flag_environments as own where own.flag_id = flags.id), '')`;

/** Whether a flag has one of the states, in one environment or in any. */
export function servesAs(states: readonly ServingState[], environmentId?: string): RawBuilder<SqlBool> {
  const place = environmentId === undefined ? sql`` : sql`and own.environment_id = ${environmentId}`;
  return sql<SqlBool>`exists (select 1 from flag_environments as own
    where own.flag_id = flags.id ${place} and own.serving_kind in (${sql.join(states)}))`;
}

/** Selects the flags that match. */
export function matchingFlags(db: Queryable, organizationId: string, filter: OverviewFilter) {
  const { statuses, flagTypes, classifications, ownerId, changedSince, environmentId, states } = filter;
  let query = db
    .selectFrom('flags')
    .where('flags.organization_id', '=', organizationId)
    .where('flags.project_id', '=', filter.projectId);
  query =
    statuses === undefined
      ? query.where('flags.status', '!=', 'archived')
      : query.where('flags.status', 'in', statuses);
  if (flagTypes !== undefined) query = query.where('flags.flag_type', 'in', flagTypes);
  if (classifications !== undefined) query = query.where('flags.classification', 'in', classifications);
  if (ownerId !== undefined) query = query.where('flags.owner_id', '=', ownerId);
  if (filter.tag !== undefined) query = query.where(listHolds('flags.tags_json', filter.tag));
  if (filter.staleReasons !== undefined) {
    const held = filter.staleReasons.map((reason) => listHolds('flags.stale_reasons_json', reason));
    query = query.where(sql<SqlBool>`(${sql.join(held, sql` or `)})`);
  }
  if (changedSince !== undefined) query = query.where(CHANGED_AT, '>=', changedSince);
  if (states !== undefined) query = query.where(servesAs(states, environmentId));
  for (const word of named(searchWords(filter.search ?? ''))) query = query.where(word);
  return query;
}

/** Matches flags whose name or key contains every word. */
function named(words: readonly string[]): readonly Expression<SqlBool>[] {
  const indexed = words.filter(isIndexed);
  const short = words.filter((word) => !isIndexed(word));
  const conditions = short.map(
    (word) => sql<SqlBool>`(${isLike(sql`flags.name`, word)} or ${isLike(sql`flags.key`, word)})`,
  );
  if (indexed.length > 0) {
    conditions.push(sql<SqlBool>`flags.id in (select found.id from ${documentsNamed(indexed)})`);
  }
  return conditions;
}
