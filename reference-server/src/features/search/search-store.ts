import { sql } from 'kysely';
import type { Queryable } from '../../storage/database.ts';
import { likePattern, searchPhrase } from '../../storage/search-phrase.ts';

export const SEARCH_TYPES = ['flag', 'segment'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** How something was found, the best first. */
export const SEARCH_MATCHES = ['key', 'key_prefix', 'name_prefix', 'text'] as const;

export interface SearchQuery {
  readonly text: string;
  readonly types: readonly SearchType[];
  readonly projectId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface SearchHit {
  readonly type: SearchType;
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly project_id: string;
  readonly match: (typeof SEARCH_MATCHES)[number];
}

interface HitRow extends Omit<SearchHit, 'match'> {
  readonly rank: number;
  readonly total: number;
}

/** What holds the text in its key, name or description; archived flags and projects are left out. */
export async function search(
  db: Queryable,
  organizationId: string,
  { text, types, projectId, limit, offset }: SearchQuery,
): Promise<{ readonly hits: readonly SearchHit[]; readonly total: number }> {
  const prefix = likePattern(text, 'start');
  const anywhere = likePattern(text, 'anywhere');
  const phrase = searchPhrase(text);
  const found =
    phrase === undefined
      ? sql`(found.key like ${anywhere} escape '\\' or found.name like ${anywhere} escape '\\'
          or found.description like ${anywhere} escape '\\')`
      : sql`found.doc in (select rowid from search_index where search_index match ${phrase})`;
  const { rows } = await sql<HitRow>`
    select found.type, found.id, found.key, found.name, found.project_id, count(*) over () as total,
      case when found.key = ${text} then 0 when found.key like ${prefix} escape '\\' then 1
        when found.name like ${prefix} escape '\\' then 2 else 3 end as rank
    from search_documents as found
    join projects on projects.id = found.project_id
    left join flags on flags.id = found.id
    where found.organization_id = ${organizationId} and projects.archived_at is null
      and (flags.id is null or flags.status not in ('archived', 'deleted'))
      and found.type in (${sql.join(types)})
      ${projectId === undefined ? sql`` : sql`and found.project_id = ${projectId}`}
      and ${found}
    order by rank, found.key, found.id limit ${limit} offset ${offset}`.execute(db);
  return {
    total: rows[0]?.total ?? 0,
    hits: rows.map(({ type, id, key, name, project_id, rank }) => ({
      type,
      id,
      key,
      name,
      project_id,
      match: SEARCH_MATCHES[rank]!,
    })),
  };
}
