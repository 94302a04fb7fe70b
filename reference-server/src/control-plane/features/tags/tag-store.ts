import { sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { listHolds, textsOf } from '../../../storage/sql-dialect.ts';

/** A tag, with the number of flags and segments that have it. */
export interface TagRecord {
  readonly tag: string;
  readonly flags_count: number;
  readonly segments_count: number;
}

/** The tags of a project, by name. */
export async function listTags(db: Queryable, projectId: string): Promise<readonly TagRecord[]> {
  const { rows } = await sql<TagRecord>`
    select tag, sum(is_flag) as flags_count, sum(1 - is_flag) as segments_count from (
      select tags.value as tag, 1 as is_flag from flags, ${textsOf('flags.tags_json')} as tags
        where flags.project_id = ${projectId}
      union all
      select tags.value, 0 from segments, ${textsOf('segments.tags_json')} as tags
        where segments.project_id = ${projectId}
    ) as named group by tag order by tag`.execute(db);
  return rows;
}

/** Ids of the flags or segments of a project that have a tag. */
export async function listTagged(
  db: Queryable,
  table: 'flags' | 'segments',
  { projectId, tag }: { readonly projectId: string; readonly tag: string },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('project_id', '=', projectId)
    .where(listHolds('tags_json', tag))
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}
