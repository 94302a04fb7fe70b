import { sql } from 'kysely';
import type { Queryable } from './database.ts';
import type { Migrations } from './migrations.ts';
import { perEngine } from './sql-dialect.ts';

/** How a database's schema relates to this version of flagsvc. */
export interface MigrationState {
  /** Migrations that have run, in the order of their names. */
  readonly applied: readonly string[];
  /** Migrations of this version that have not run yet, in the order in which they will run. */
  readonly pending: readonly string[];
  /** Migrations that have run and that this version does not know: a newer version has run them. */
  readonly unknown: readonly string[];
  /** Those of `unknown` after which this version must not use the database; empty if it may. */
  readonly barring: readonly string[];
}

/** A newer version of flagsvc has migrated the database, and this one must not use it. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';

  constructor(migration: string) {
    const remedy = 'Start that version or a later one, or restore an earlier backup';
    super(`a newer version of flagsvc has changed its tables (${migration}). ${remedy}`);
  }
}

/**
 * A migration that has run. `requires` names a migration that a version must know to use the database afterwards. Null:
 * every older version may use it. Undefined: the first versions recorded it, and they refused any unknown migration.
 */
interface Record {
  readonly name: string;
  readonly requires: string | null | undefined;
}

/** Compares a database's migrations with `known`. An empty database has none. */
export async function readMigrationState(db: Queryable, known: Migrations): Promise<MigrationState> {
  const records = new Map<string, Record>();
  if (await hasTable(db, 'kysely_migration')) {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    for (const { name } of rows) records.set(name, { name, requires: undefined });
  }
  if (await hasTable(db, 'schema_changes')) {
    const rows = await db.selectFrom('schema_changes').select(['name', 'requires']).execute();
    for (const row of rows) records.set(row.name, row);
  }
  const names = Object.keys(known);
  const state = compareMigrations([...records.keys()], names);
  const isBarring = (name: string): boolean => {
    const { requires } = records.get(name)!;
    return requires === undefined || (requires !== null && !names.includes(requires));
  };
  return { ...state, barring: state.unknown.filter(isBarring) };
}

/** Compares the names of migrations that have run with those that a version knows. */
export function compareMigrations(
  applied: readonly string[],
  known: readonly string[],
): Omit<MigrationState, 'barring'> {
  return {
    applied: [...applied].sort(),
    pending: known.filter((name) => !applied.includes(name)).sort(),
    unknown: applied.filter((name) => !known.includes(name)).sort(),
  };
}

async function hasTable(db: Queryable, name: string): Promise<boolean> {
  const { rows } = await sql`select 1 ${perEngine({
    sqlite: sql`from sqlite_master where type = 'table' and name = ${name}`,
    postgres: sql`where to_regclass(${name}) is not null`,
  })}`.execute(db);
  return rows.length > 0;
}

/** Records in the migration's transaction that it has run. For `requires`, see `CONTRACTIONS`. */
export async function recordMigration(tx: Queryable, name: string, requires: string | null): Promise<void> {
  const applied_at = new Date().toISOString();
  await tx.insertInto('schema_changes').values({ name, applied_at, requires }).execute();
  // The first versions read only this table, and refuse to start if it contains a migration that they do not know.
  if (requires !== null && (await hasTable(tx, 'kysely_migration'))) {
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${applied_at})`.execute(tx);
  }
}

/** Creates the table of records if it does not exist. */
export async function createRecords(tx: Queryable): Promise<void> {
  if (await hasTable(tx, 'schema_changes')) return;
  await sql`create table schema_changes (name ${TEXT} primary key, applied_at ${TEXT} not null, requires ${TEXT})
    ${perEngine({ sqlite: sql`strict`, postgres: sql`` })}`.execute(tx);
}

const TEXT = perEngine({ sqlite: sql`text`, postgres: sql`text collate "C"` });
