/** What SQLite and PostgreSQL say differently, for stores to put into their statements. */

import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { either } from './dialect.ts';
import { likePattern } from './search-patterns.ts';
import { requireStorable } from './text-checks.ts';

/** The texts of a column that holds a JSON list of texts, one a row, in the column `value`. */
export function textsOf(column: string): RawBuilder<unknown> {
  const list = sql.ref(column);
  return either({
    sqlite: sql`json_each(${list})`,
    postgres: sql`lateral (select value collate "C" as value from json_array_elements_text(as_json(${list})))`,
  });
}

/** Whether a column that holds a JSON list of texts holds this one. */
export function listHolds(column: string, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from ${textsOf(column)} as list where value = ${text})`;
}

/** The items of a list that is given with a statement as JSON, one a row, in the column `value`. */
export function rowsOf(list: readonly object[]): RawBuilder<unknown> {
  const json = JSON.stringify(list);
  // Inside of JSON a NUL is written otherwise, and would only show when it is taken out.
  if (json.includes('\\u0000')) for (const item of list) requireStorable(Object.values(item));
  return either({ sqlite: sql`json_each(${json})`, postgres: sql`json_array_elements(as_json(${json}))` });
}

/** A number of such an item; SQLite knows by itself that it is one. */
export function numberAt(place: number | string): RawBuilder<number | null> {
  // Written out, since PostgreSQL cannot tell whether a parameter is a place or a name.
  const at = sql.lit(place);
  return either({ sqlite: sql`value ->> ${at}`, postgres: sql`(value ->> ${at})::numeric` });
}

/** Whether a text holds this one, or starts with it, in whatever case of its ASCII letters. */
export function isLike(
  text: Expression<unknown>,
  wanted: string,
  where: 'anywhere' | 'start' = 'anywhere',
): RawBuilder<SqlBool> {
  const pattern = likePattern(wanted, where);
  return either({
    sqlite: sql`${text} like ${pattern} escape '\\'`,
    // No text there holds a NUL, and it takes none.
    postgres: wanted.includes('\0') ? sql`false` : sql`${text} ilike ${pattern} escape '\\'`,
  });
}

/** For sorting by name: ASCII letters count without their case. */
export function caseless(column: string): RawBuilder<string> {
  const text = sql.ref(column);
  return either({ sqlite: sql`${text} collate nocase`, postgres: sql`lower(${text})` });
}

/** The greater of two that are not null. */
export function greater<T>(one: RawBuilder<T>, other: RawBuilder<T>): RawBuilder<T> {
  return either({ sqlite: sql`max(${one}, ${other})`, postgres: sql`greatest(${one}, ${other})` });
}

/** Whether a column holds a text, in the same case. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  return either({
    sqlite: sql`instr(${sql.ref(column)}, ${sql.lit(text)}) > 0`,
    postgres: sql`strpos(${sql.ref(column)}, ${sql.lit(text)}) > 0`,
  });
}

/** A JSON object of all rows, with these columns as its names and values; `{}` of none. */
export function objectOf(name: string, value: string): RawBuilder<string> {
  const pair = sql.join([sql.ref(name), sql.ref(value)]);
  return either({
    sqlite: sql`json_group_object(${pair})`,
    postgres: sql`coalesce(json_object_agg(${pair})::text, '{}')`,
  });
}

/** Whether a column's JSON object has `true` under the name. */
export function isTrue(column: string, name: string): RawBuilder<SqlBool> {
  return either({
    sqlite: sql`${sql.ref(column)} ->> ${sql.lit(name)} = 1`,
    postgres: sql`(as_json(${sql.ref(column)}) ->> ${sql.lit(name)}) = 'true'`,
  });
}
