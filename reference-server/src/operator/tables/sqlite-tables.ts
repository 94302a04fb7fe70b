import type Sqlite from 'better-sqlite3';

/** A table of an SQLite database. */
export interface Table {
  readonly name: string;
  /** In the order of their names. */
  readonly columns: readonly string[];
  /** The primary key's columns in order. */
  readonly key: readonly string[];
  /** The tables that its foreign keys refer to. */
  readonly parents: readonly string[];
}

/** Tables that record the migrations of one engine. */
const OF_THE_MIGRATOR = /^(kysely_migration|schema_changes$)/;

/**
 * All tables with rows of an installation, read from the schema, in the order of their names. The text index is left
 * out: it belongs to one engine and is derived from `search_documents`.
 */
export function listTables(connection: Sqlite.Database): Table[] {
  const names = connection
    .prepare(
      `select name from pragma_table_list
        where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .pluck()
    .all() as string[];
  return names.filter((name) => !OF_THE_MIGRATOR.test(name)).map((name) => describeTable(connection, name));
}

function describeTable(connection: Sqlite.Database, name: string): Table {
  const columns = connection.prepare('select name, pk from pragma_table_info(?) order by name').all(name) as {
    readonly name: string;
    readonly pk: number;
  }[];
  const parents = connection
    .prepare('select distinct "table" from pragma_foreign_key_list(?)')
    .pluck()
    .all(name) as string[];
  return {
    name,
    columns: columns.map((column) => column.name),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map((column) => column.name),
    parents,
  };
}

/** Orders tables so that each one comes after those that it refers to. Throws if tables refer to each other in a circle. */
export function orderByReferences(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  let rest = [...tables];
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ name }) => name));
    const ready = rest.filter(({ name, parents }) =>
      parents.every((one) => one === name || !waiting.has(one)),
    );
    if (ready.length === 0) throw new Error(`these tables refer to each other: ${[...waiting].join(', ')}`);
    ordered.push(...ready);
    rest = rest.filter((table) => !ready.includes(table));
  }
  return ordered;
}
