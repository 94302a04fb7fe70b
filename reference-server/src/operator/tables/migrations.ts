import type { Database } from '../../storage/database.ts';
import { postgresOf } from '../../storage/engine.ts';
import { type MigrationState, readMigrationState } from '../../storage/migration-state.ts';
import { POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS } from '../../storage/migrations.ts';

/** How the schema of a database relates to this version of flagsvc. Throws if flagsvc has never used the database. */
export async function readMigrations(db: Database): Promise<MigrationState> {
  const known = postgresOf(db) === undefined ? SQLITE_MIGRATIONS : POSTGRES_MIGRATIONS;
  const state = await readMigrationState(db, known);
  if (state.applied.length === 0) throw new Error('the database does not contain the tables of flagsvc');
  return state;
}
