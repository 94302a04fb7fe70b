import { type QueryExecutorProvider, sql } from 'kysely';

/** A table, described in the same words for both engines. */
export interface TableShape {
  /** Type, nullability and default of each column, by name. */
  columns: Record<string, string>;
  primaryKey: readonly string[];
  /** Indexes and unique constraints: columns, uniqueness, and whether they are partial. */
  indexes: readonly string[];
  foreignKeys: readonly string[];
  /** Columns with their allowed values. */
  checks: readonly string[];
}
export type Schema = Readonly<Record<string, TableShape>>;

/** Tables of one engine only: for its text search, its migrations, its record of changed rows, and what nodes share. */
const OWN = /^(kysely_|sqlite_|search_index|row_changes|shared_|watched_)/;
const OWN_INDEXES = ['search_documents_by_words'];

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: number;
  readonly value: string | null;
}
interface Key {
  readonly table: string;
  /** Column names, separated by commas. */
  readonly columns: string;
  readonly name: string;
  readonly kind: 'primary' | 'unique' | 'index';
  readonly partial: number;
}
interface Line {
  readonly table: string;
  readonly text: string;
}

function shape(of: {
  readonly columns: readonly Column[];
  readonly keys: readonly Key[];
  readonly foreignKeys: readonly Line[];
  readonly checks: readonly Line[];
}): Schema {
  const tables: Record<string, TableShape> = {};
  const textsOf = (lines: readonly Line[], table: string): string[] =>
    lines.filter((line) => line.table === table).map(({ text }) => text);
  for (const { table, name, type, required, value } of of.columns) {
    if (OWN.test(table)) continue;
    const own = of.keys.filter((key) => key.table === table && !OWN_INDEXES.includes(key.name));
    const primary = own.find(({ kind }) => kind === 'primary')?.columns.split(',') ?? [];
    tables[table] ??= {
      columns: {},
      primaryKey: primary,
      indexes: own
        .filter(({ kind }) => kind !== 'primary')
        .map(describeKey)
        .sort(),
      foreignKeys: textsOf(of.foreignKeys, table).sort(),
      checks: textsOf(of.checks, table).sort(),
    };
    const isRequired = required === 1 || primary.includes(name);
    tables[table].columns[name] = [type, isRequired ? 'not null' : 'null', value ?? ''].join(' ').trim();
  }
  return tables;
}

/** A line for an index. Generated names are left out, because they differ between the engines. */
function describeKey({ columns, name, kind, partial }: Key): string {
  const words = [kind, columns, /autoindex|_key$/.test(name) ? '' : name, partial === 1 ? 'of some' : ''];
  return words.filter(Boolean).join(' ');
}

export async function readSqlite(db: QueryExecutorProvider): Promise<Schema> {
  const { rows: columns } = await sql<Column>`
    select tables.name as "table", columns.name, columns.type, columns."notnull" as required,
      columns.dflt_value as value
    from pragma_table_list as tables join pragma_table_xinfo(tables.name) as columns
    where tables.schema = 'main' and tables.type = 'table' and columns.hidden <> 1`.execute(db);
  const { rows: indexes } = await sql<Key>`
    select tables.name as "table", indexes.name, indexes.partial,
      case indexes.origin when 'pk' then 'primary' else case indexes."unique" when 1 then 'unique' else 'index' end
      end as kind,
      (select group_concat(case upper(part.coll) when 'NOCASE' then 'lower(' || part.name || ')' else part.name end)
        from pragma_index_xinfo(indexes.name) as part where part.key = 1) as columns
    from pragma_table_list as tables join pragma_index_list(tables.name) as indexes
    where tables.schema = 'main' and tables.type = 'table'`.execute(db);
  // SQLite has no index for a primary key that is the row id.
  const { rows: rowIds } = await sql<Key>`
    select tables.name as "table", columns.name as columns, '' as name, 'primary' as kind, 0 as partial
    from pragma_table_list as tables join pragma_table_info(tables.name) as columns
    where columns.pk = 1 and columns.type = 'integer' collate nocase`.execute(db);
  const { rows: foreignKeys } = await sql<Line>`
    select tables.name as "table", keys."from" || ' ' || keys."table" || ' ' || keys."to" || ' ' ||
      lower(keys.on_delete) as text
    from pragma_table_list as tables join pragma_foreign_key_list(tables.name) as keys
    where tables.schema = 'main'`.execute(db);
  const { rows: texts } = await sql<Line>`
    select name as "table", sql as text from sqlite_master where type = 'table'`.execute(db);
  const checks = texts.flatMap(({ table, text }) =>
    [...text.matchAll(/check \((\w+) in \(([^)]+)\)\)/g)].map(([, column, values]) => ({
      table,
      text: `${column} ${valuesOf(values!)}`,
    })),
  );
  return shape({
    columns: columns.map((column) => ({ ...column, type: column.type.toLowerCase() })),
    keys: [...indexes, ...rowIds],
    foreignKeys,
    checks,
  });
}

const SQLITE_TYPES: Readonly<Record<string, string>> = {
  'text collate C': 'text',
  bigint: 'integer',
  'double precision': 'real',
};

export async function readPostgres(db: QueryExecutorProvider): Promise<Schema> {
  const { rows: columns } = await sql<Column>`
    select attrelid::regclass::text as "table", attname::text as name,
      format_type(atttypid, atttypmod) || coalesce(' collate ' || collname, '') as type,
      attnotnull as required, case attgenerated when '' then pg_get_expr(adbin, adrelid) end as value
    from pg_attribute join pg_class on pg_class.oid = attrelid and relkind in ('r', 'p')
      and not relispartition
    left join pg_collation on pg_collation.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = current_schema()::regnamespace and attnum > 0 and not attisdropped
    order by attrelid, attnum`.execute(db);
  const { rows: keys } = await sql<Key>`
    select indrelid::regclass::text as "table", indexrelid::regclass::text as name,
      case when indisprimary then 'primary' when indisunique then 'unique' else 'index' end as kind,
      indpred is not null as partial,
      (select string_agg(replace(pg_get_indexdef(indexrelid, part::int, true), '"', ''), ',' order by part)
        from generate_series(1, indnkeyatts) as part) as columns
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = current_schema()::regnamespace`.execute(db);
  const { rows: constraints } = await sql<Line & { kind: string }>`
    select conrelid::regclass::text as "table", contype::text as kind, pg_get_constraintdef(oid) as text
    from pg_constraint where contype in ('f', 'c') and connamespace = current_schema()::regnamespace`.execute(
    db,
  );
  const read = (kind: string, as: (text: string) => string | readonly string[]): Line[] =>
    constraints
      .filter((one) => one.kind === kind)
      .flatMap(({ table, text }) =>
        [as(text.replaceAll('"', ''))].flat().map((line) => ({ table, text: line })),
      );
  return shape({
    columns: columns.map((column) => ({
      ...column,
      type: SQLITE_TYPES[column.type] ?? column.type,
      value: column.value?.replace('::text', '') ?? null,
    })),
    keys,
    foreignKeys: read('f', (text) => {
      const [, from, table, to] = /\(([\w, ]+)\) REFERENCES (\w+)\(([\w, ]+)\)/.exec(text)!;
      const onDelete = /ON DELETE (\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'no action';
      // SQLite describes each column of a key in a row of its own.
      const targets = to!.split(', ');
      return from!.split(', ').map((column, index) => `${column} ${table} ${targets[index]} ${onDelete}`);
    }),
    checks: read('c', (text) => `${/\(+(\w+)/.exec(text)![1]} ${valuesOf(text)}`),
  });
}

/** The string and number literals of an SQL expression. */
function valuesOf(text: string): string {
  return [...text.matchAll(/'([^']+)'|\b(\d+)\b/g)].map(([, word, number]) => word ?? number).join('|');
}
