/** The fragments that SQLite and PostgreSQL write differently. Stores use these and stay unaware of the engine. */

import { type Expression, type RawBuilder, type RawNode, type SqlBool, sql } from 'kysely';
import { likePattern } from './search-patterns.ts';

/** A fragment that carries its PostgreSQL variant along. */
interface DialectNode extends RawNode {
  readonly postgres: RawNode;
}

/**
 * A fragment for which the engines have no common syntax, so each has its own variant. The statement's compiler picks
 * the variant of its engine.
 */
export function perEngine<T>(variants: {
  readonly sqlite: RawBuilder<unknown>;
  readonly postgres: RawBuilder<unknown>;
}): RawBuilder<T> {
  const fragment: Expression<T> = {
    expressionType: undefined,
    toOperationNode: (): DialectNode => ({
      ...(variants.sqlite.toOperationNode() as RawNode),
      postgres: variants.postgres.toOperationNode() as RawNode,
    }),
  };
  return sql<T>`${fragment}`;
}

/** The PostgreSQL variant of a fragment; the fragment itself if it has none. For PostgreSQL's compiler. */
export function postgresVariant(node: RawNode): RawNode {
  return (node as Partial<DialectNode>).postgres ?? node;
}

/** The texts in a column with a JSON list of texts: one per row, in the column `value`. */
export function textsOf(column: string): RawBuilder<unknown> {
  const list = sql.ref(column);
  return perEngine({
    sqlite: sql`json_each(${list})`,
    postgres: sql`lateral (select value collate "C" as value from json_array_elements_text(as_json(${list})))`,
  });
}

/** Whether a column with a JSON list of texts contains `text`. */
export function listHolds(column: string, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from ${textsOf(column)} as list where value = ${text})`;
}

/** Whether `text` contains `wanted`, or starts with it; ASCII letters match in either case. */
export function isLike(
  text: Expression<unknown>,
  wanted: string,
  where: 'anywhere' | 'start' = 'anywhere',
): RawBuilder<SqlBool> {
  const pattern = likePattern(wanted, where);
  return perEngine({
    sqlite: sql`${text} like ${pattern} escape '\\'`,
    // PostgreSQL rejects a NUL in a parameter, and no stored text contains one.
    postgres: wanted.includes('\0') ? sql`false` : sql`${text} ilike ${pattern} escape '\\'`,
  });
}

/** A column for sorting by name, without regard to the case of ASCII letters. */
export function caseless(column: string): RawBuilder<string> {
  const text = sql.ref(column);
  return perEngine({ sqlite: sql`${text} collate nocase`, postgres: sql`lower(${text})` });
}

/** The greater of two values, neither of them null. */
export function greater<T>(one: RawBuilder<T>, other: RawBuilder<T>): RawBuilder<T> {
  return perEngine({ sqlite: sql`max(${one}, ${other})`, postgres: sql`greatest(${one}, ${other})` });
}

/** Whether a column contains `text`, case-sensitively. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  return perEngine({
    sqlite: sql`instr(${sql.ref(column)}, ${sql.lit(text)}) > 0`,
    postgres: sql`strpos(${sql.ref(column)}, ${sql.lit(text)}) > 0`,
  });
}

/** All rows as one JSON object, from a column of names and a column of values; `{}` for no rows. */
export function objectOf(name: string, value: string): RawBuilder<string> {
  const pair = sql.join([sql.ref(name), sql.ref(value)]);
  return perEngine({
    sqlite: sql`json_group_object(${pair})`,
    postgres: sql`coalesce(json_object_agg(${pair})::text, '{}')`,
  });
}

/** Whether a column's JSON object has `true` under `name`. */
export function isTrue(column: string, name: string): RawBuilder<SqlBool> {
  return perEngine({
    sqlite: sql`${sql.ref(column)} ->> ${sql.lit(name)} = 1`,
    postgres: sql`(as_json(${sql.ref(column)}) ->> ${sql.lit(name)}) = 'true'`,
  });
}
