import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Tx } from '../../storage/database.ts';
import { forPostgres } from '../../storage/migrations.ts';
import { Refusal } from '../command.ts';
import type { Table } from '../tables/sqlite-tables.ts';
import { quote } from './table-digest.ts';

/**
 * Prepares the target inside the transaction of the move: creates tables of plugins, locks all tables and turns off
 * their triggers, because the source contains what the triggers would write. Throws Refusal unless every table is empty.
 */
export async function prepareTarget(
  source: Sqlite.Database,
  tx: Tx,
  tables: readonly Table[],
): Promise<void> {
  const present = await readColumns(tx);
  for (const table of tables) if (!present.has(table.name)) await createTable(source, tx, table);
  const columns = await readColumns(tx);
  for (const table of tables) requireSameColumns(table, columns.get(table.name) ?? []);
  const names = tables.map(({ name }) => quote(name));
  await sql.raw(`lock table ${names.join(', ')} in access exclusive mode`).execute(tx);
  const used: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(tx);
    if (rows.length > 0) used.push(name);
  }
  if (used.length > 0) {
    throw new Refusal(
      `The target contains data (${used.join(', ')}). Name an empty database: even a server that has started once leaves rows.`,
    );
  }
  for (const name of names) await sql.raw(`alter table ${name} disable trigger user`).execute(tx);
}

/** Turns the triggers on again, and lets generated numbers continue after those of the source. */
export async function finishTarget(source: Sqlite.Database, tx: Tx, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) await sql.raw(`alter table ${quote(name)} enable trigger user`).execute(tx);
  const { rows } = await sql<{ table: string; column: string }>`
    select relname::text as "table", attname::text as "column" from pg_attribute join pg_class on pg_class.oid = attrelid
    where attidentity <> '' and relnamespace = current_schema()::regnamespace`.execute(tx);
  for (const { table, column } of rows) {
    if (!tables.some(({ name }) => name === table)) continue;
    const last = lastNumber(source, table, column);
    // `setval` accepts no 0; a sequence that was never used starts at 1 anyway.
    if (last > 0)
      await sql`select setval(pg_get_serial_sequence(${quote(table)}, ${column}), ${last})`.execute(tx);
  }
}

/** The highest number that a table of SQLite has ever given, if it remembers that, or that it contains. */
function lastNumber(source: Sqlite.Database, table: string, column: string): number {
  const pluck = (query: string, ...values: string[]): number =>
    (source
      .prepare(query)
      .pluck()
      .get(...values) as number | null | undefined) ?? 0;
  const found = pluck(`select max(${quote(column)}) from ${quote(table)}`);
  const isRemembered = pluck(`select count(*) from sqlite_schema where name = 'sqlite_sequence'`) > 0;
  return Math.max(found, isRemembered ? pluck('select seq from sqlite_sequence where name = ?', table) : 0);
}

async function readColumns(tx: Tx): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and is_generated = 'NEVER'`.execute(tx);
  const columns = new Map<string, string[]>();
  for (const { table, column } of rows) columns.set(table, [...(columns.get(table) ?? []), column]);
  return columns;
}

function requireSameColumns({ name, columns }: Table, found: readonly string[]): void {
  const missing = columns.filter((column) => !found.includes(column));
  const extra = found.filter((column) => !columns.includes(column));
  if (missing.length + extra.length === 0) return;
  throw new Refusal(
    `The table ${name} differs between the databases (${[...missing, ...extra].join(', ')}). Use an empty target.`,
  );
}

/** Creates a table that only the source has, as a plugin's migration would have done. */
async function createTable(source: Sqlite.Database, tx: Tx, { name }: Table): Promise<void> {
  const statements = source
    .prepare('select type, sql from sqlite_schema where tbl_name = ? and sql is not null')
    .all(name) as { readonly type: string; readonly sql: string }[];
  if (statements.some(({ type }) => type === 'trigger')) {
    throw new Refusal(
      `The table ${name} of a plugin has triggers, which cannot be translated for PostgreSQL. Create it in the target with the plugin's migrations first.`,
    );
  }
  for (const { type, sql: text } of statements.sort((one, other) => other.type.localeCompare(one.type))) {
    // SQLite stores the first words of the statement in capitals.
    const statement = type === 'table' ? forPostgres(text.replace(/^CREATE TABLE/, 'create table')) : text;
    await sql.raw(statement).execute(tx);
  }
}
