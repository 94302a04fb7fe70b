import { createHash } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Tx } from '../../storage/database.ts';
import type { Table } from '../tables/sqlite-tables.ts';

/** A row as both engines return it. */
export type Row = Readonly<Record<string, string | number | null>>;

/** The number of rows of a table and a hash of their contents. Equal on both engines for equal rows. */
export interface TableDigest {
  readonly rows: number;
  readonly sha256: string;
}

/** Collects rows, which have to come in the order of the primary key, into a digest. */
export function createDigester({ columns }: Table): { add(row: Row): void; finish(): TableDigest } {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(row) {
      hash.update(`${JSON.stringify(columns.map((column) => row[column]))}\n`);
      rows += 1;
    },
    finish: () => ({ rows, sha256: hash.digest('hex') }),
  };
}

const FETCH = 1_000;

/** All rows of a table of SQLite in the order of its primary key. */
export function readSqlite(connection: Sqlite.Database, table: Table): IterableIterator<Row> {
  return connection.prepare(selectOf(table)).iterate() as IterableIterator<Row>;
}

/** All rows of a table of PostgreSQL in the order of its primary key. */
export async function* readPostgres(tx: Tx, table: Table): AsyncGenerator<Row> {
  await sql.raw(`declare copied no scroll cursor for ${selectOf(table)}`).execute(tx);
  for (;;) {
    const { rows } = await sql.raw<Row>(`fetch forward ${FETCH} from copied`).execute(tx);
    yield* rows;
    if (rows.length < FETCH) break;
  }
  await sql.raw('close copied').execute(tx);
}

/** Both engines sort texts byte by byte. */
function selectOf({ name, columns, key }: Table): string {
  return `select ${columns.map(quote).join(', ')} from ${quote(name)} order by ${key.map(quote).join(', ')}`;
}

/** Quotes the name of a table or a column. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
