import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { MigrationState } from '../../storage/migration-state.ts';
import { countOf } from '../command.ts';
import { type CheckResult, resultOf } from './check-result.ts';

/** `quick_check` reads every page; `integrity_check` also compares each index with its table. */
export type IntegrityDepth = 'quick_check' | 'integrity_check';

export const DAMAGED = 'the file is damaged; stop the server, keep a copy of the file, and restore a backup';

const HEADING = /^\*\*\* in database \w+ \*\*\*$/;

/** Whether the pages of an SQLite file are undamaged. */
export function checkIntegrity(connection: Sqlite.Database, depth: IntegrityDepth): CheckResult {
  const rows = connection.pragma(depth) as Readonly<Record<string, string>>[];
  const found = rows.map((row) => row[depth]!).filter((text) => text !== 'ok');
  // SQLite reports faults as lines of one text or as several rows, depending on where it finds them.
  const faults = found.flatMap((text) => text.split('\n')).filter((line) => !HEADING.test(line));
  return resultOf(faults, `SQLite finds no damage (${depth})`, DAMAGED);
}

/** Whether every reference to another row leads to a row. */
export function checkForeignKeys(connection: Sqlite.Database): CheckResult {
  const rows = connection.pragma('foreign_key_check') as {
    readonly table: string;
    readonly parent: string;
  }[];
  const counts = new Map<string, number>();
  for (const { table, parent } of rows) {
    const reference = `${table} refers to missing rows of ${parent}`;
    counts.set(reference, (counts.get(reference) ?? 0) + 1);
  }
  const faults = [...counts].map(([reference, count]) => `${reference} (${countOf(count, 'row')})`);
  return resultOf(
    faults,
    'every reference leads to a row',
    `${countOf(rows.length, 'reference')} lead nowhere`,
  );
}

/** As `checkForeignKeys`; PostgreSQL maintains the references, but a restore may have skipped them. */
export async function checkPostgresForeignKeys(db: Database): Promise<CheckResult> {
  const namesOf = (
    table: string,
    numbers: string,
  ) => sql`(select string_agg(quote_ident(attname), ',' order by place)
    from unnest(${sql.ref(numbers)}) with ordinality as part (number, place)
    join pg_attribute on attrelid = ${sql.ref(table)} and attnum = number)`;
  const { rows } = await sql<{ child: string; parent: string; columns: string; keys: string }>`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent,
      ${namesOf('conrelid', 'conkey')} as columns, ${namesOf('confrelid', 'confkey')} as keys
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(db);
  const faults: string[] = [];
  for (const { child, parent, columns, keys } of rows) {
    const own = columns.split(',');
    const isSet = own.map((column) => `child.${column} is not null`).join(' and ');
    const isEqual = keys
      .split(',')
      .map((key, index) => `parent.${key} = child.${own[index]}`)
      .join(' and ');
    const { rows: counted } = await sql<{ count: number }>`
      select count(*) as count from ${sql.raw(child)} as child where ${sql.raw(isSet)}
        and not exists (select from ${sql.raw(parent)} as parent where ${sql.raw(isEqual)})`.execute(db);
    const { count } = counted[0]!;
    if (count > 0) faults.push(`${child} refers to missing rows of ${parent} (${countOf(count, 'row')})`);
  }
  return resultOf(faults, 'every reference leads to a row', 'some references lead nowhere');
}

/** Whether the schema is the one that this version uses. */
export function checkMigrations({ applied, pending, unknown, barring }: MigrationState): CheckResult {
  if (barring.length > 0) {
    const message = 'a newer version of flagsvc has changed the tables; use that version or a later one';
    return { status: 'failed', message, details: barring };
  }
  if (unknown.length > 0) {
    const message = 'a newer version of flagsvc has extended the tables; this version can still use them';
    return { status: 'warning', message, details: unknown };
  }
  if (pending.length > 0) {
    const message = `${countOf(pending.length, 'migration')} have not run yet; the server runs them when it starts`;
    return { status: 'warning', message, details: pending };
  }
  return { status: 'ok', message: `all ${countOf(applied.length, 'migration')} have run` };
}
