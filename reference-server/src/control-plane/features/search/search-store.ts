import { sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { isIndexed, searchWords } from '../../../storage/search-patterns.ts';
import { isLike } from '../../../storage/sql-dialect.ts';
import { isInDocument } from '../../../storage/text-index.ts';

export const SEARCH_TYPES = ['flag', 'segment'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** The kinds of match, best first. */
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

/**
 * Finds flags and segments whose key, name or description contains every word of the text. Archived flags and projects
 * are left out.
 */
export async function search(
  db: Queryable,
  organizationId: string,
  { text, types, projectId, limit, offset }: SearchQuery,
): Promise<{ readonly hits: readonly SearchHit[]; readonly total: number }> {
  const words = searchWords(text);
  // Stored text never contains a NUL, which PostgreSQL refuses in a query.
  if (words.length === 0 || text.includes('\0')) return { hits: [], total: 0 };
  const [key, name, description] = [sql`found.key`, sql`found.name`, sql`found.description`] as const;
  const indexed = words.filter(isIndexed);
  const each = words
    .filter((word) => !isIndexed(word))
    .map((word) => sql`(${isLike(key, word)} or ${isLike(name, word)} or ${isLike(description, word)})`);
  if (indexed.length > 0) each.push(isInDocument(indexed));
  const { rows } = await sql<HitRow>`
    select found.type, found.id, found.key, found.name, found.project_id, count(*) over () as total,
      case when ${key} = ${text} then 0 when ${isLike(key, text, 'start')} then 1
        when ${isLike(name, text, 'start')} then 2 else 3 end as rank
    from search_documents as found
    join projects on projects.id = found.project_id
    left join flags on flags.id = found.id
    where found.organization_id = ${organizationId} and projects.archived_at is null
      and (flags.id is null or flags.status <> 'archived')
      and found.type in (${sql.join(types)})
      ${projectId === undefined ? sql`` : sql`and found.project_id = ${projectId}`}
      and ${sql.join(each, sql` and `)}
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
