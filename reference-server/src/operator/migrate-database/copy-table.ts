import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Tx } from '../../storage/database.ts';
import type { Table } from '../tables/sqlite-tables.ts';
import {
  createDigester,
  quote,
  type Row,
  readPostgres,
  readSqlite,
  type TableDigest,
} from './table-digest.ts';

/** Rows are sent in batches of at most this many rows and characters. */
const BATCH_ROWS = 1_000;
const BATCH_CHARACTERS = 4_000_000;

/** Copies all rows of a table. Returns the digest of the source's rows. */
export async function copyTable(source: Sqlite.Database, tx: Tx, table: Table): Promise<TableDigest> {
  const digester = createDigester(table);
  let batch: string[] = [];
  let characters = 0;
  const send = async (): Promise<void> => {
    if (batch.length > 0) await insert(tx, table, `[${batch.join(',')}]`);
    batch = [];
    characters = 0;
  };
  for (const row of readSqlite(source, table)) {
    digester.add(row);
    const text = JSON.stringify(row);
    batch.push(text);
    characters += text.length;
    if (batch.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) await send();
  }
  await send();
  return digester.finish();
}

/** One statement with one parameter: PostgreSQL reads the types of the columns from the table. */
async function insert(tx: Tx, { name, columns }: Table, rows: string): Promise<void> {
  const target = sql.raw(quote(name));
  const list = sql.raw(columns.map(quote).join(', '));
  await sql`insert into ${target} (${list}) overriding system value
    select ${list} from json_populate_recordset(null::${target}, ${rows}::json)`.execute(tx);
}

/** Reads a table of the target back. */
export async function digestTarget(tx: Tx, table: Table): Promise<TableDigest> {
  const digester = createDigester(table);
  for await (const row of readPostgres(tx, table)) digester.add(row as Row);
  return digester.finish();
}
