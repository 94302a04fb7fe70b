import pg from 'pg';
import { openConnection } from '../../src/storage/sqlite.ts';

/** The rows of each table, by its name. A row is a record of its columns. */
export type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/**
 * Tables without content of their own: a lock, counts of requests, SQLite's counters, the parts of its text index, and
 * the partitions of other tables.
 */
const INTERNAL = /^(kysely_migration_lock|shared_.*|sqlite_sequence|search_index.*|.*_by_day_\d{8})$/;

/** Tables of the main database whose rows have moved to the events. */
export const LEFT_BEHIND: readonly string[] = [
  'event_batches',
  'counters_hourly',
  'exposures',
  'track_events',
];

/** Reads all tables of a database as they are, without migrating it. */
export async function readRows(url: string): Promise<Rows> {
  return url.startsWith('sqlite:') ? readSqlite(url) : readPostgres(url);
}

/** The tables that have no rows. */
export const listEmptyTables = (rows: Rows): readonly string[] =>
  Object.keys(rows).filter((name) => rows[name]!.length === 0);

async function readSqlite(url: string): Promise<Rows> {
  const connection = openConnection(url);
  try {
    const names = connection.prepare<[], { name: string }>(
      "select name from sqlite_master where type = 'table' order by name",
    );
    return await readEach(
      names.all().map(({ name }) => name),
      async (query) => connection.prepare<[], Record<string, unknown>>(query).all(),
    );
  } finally {
    connection.close();
  }
}

async function readPostgres(url: string): Promise<Rows> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: names } = await client.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema() order by 1',
    );
    return await readEach(
      names.map(({ name }) => name),
      async (query) => (await client.query<Record<string, unknown>>(query)).rows,
    );
  } finally {
    await client.end();
  }
}

async function readEach(
  names: readonly string[],
  ask: (query: string) => Promise<Rows[string]>,
): Promise<Rows> {
  const tables: Record<string, Rows[string]> = {};
  for (const name of names.filter((one) => !INTERNAL.test(one))) {
    tables[name] = await ask(`select * from "${name}"`);
  }
  return tables;
}

/** The rows of `before` that `after` lacks, by table. Only the columns of `before` are compared. */
export function findLostRows(before: Rows, after: Rows): Rows {
  const lost: Record<string, Rows[string]> = {};
  for (const [name, rows] of Object.entries(before)) {
    const columns = Object.keys(rows[0] ?? {});
    const textOf = (row: Readonly<Record<string, unknown>>): string =>
      JSON.stringify(columns.map((column) => row[column]));
    const found = new Set(after[name]?.map(textOf));
    const missing = rows.filter((row) => !found.has(textOf(row)));
    if (missing.length > 0) lost[name] = missing;
  }
  return lost;
}
