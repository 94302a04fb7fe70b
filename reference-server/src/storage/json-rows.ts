import { type RawBuilder, sql } from 'kysely';
import { perEngine } from './sql-dialect.ts';
import { requireStorable } from './text-checks.ts';

/** The items of `list`, sent with the statement as JSON: one per row, in the column `value`. */
export function rowsOf(list: readonly object[]): RawBuilder<unknown> {
  const json = JSON.stringify(list);
  // JSON escapes a NUL, so the check of the parameters would miss it.
  if (json.includes('\\u0000')) for (const item of list) requireStorable(Object.values(item));
  return perEngine({ sqlite: sql`json_each(${json})`, postgres: sql`json_array_elements(as_json(${json}))` });
}

/** The number that an item from `rowsOf` has at an index or under a name. */
export function numberAt(place: number | string): RawBuilder<number | null> {
  // A literal: PostgreSQL cannot tell whether a parameter is an index or a name.
  const at = sql.lit(place);
  return perEngine({ sqlite: sql`value ->> ${at}`, postgres: sql`(value ->> ${at})::numeric` });
}
