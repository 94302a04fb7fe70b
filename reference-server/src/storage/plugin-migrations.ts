import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { postgresOf } from './engine.ts';
import { forPostgres } from './migrations.ts';

export type EngineName = 'sqlite' | 'postgres';

/** A change of a plugin's tables. Never edit a migration that has run somewhere; add another one. */
export interface PluginMigration {
  /** Unique within the plugin. Migrations run in the order of their names, such as `0001-tickets`. */
  readonly name: string;
  /**
   * Statements in SQLite's dialect (`create table` and `alter table` are translated for PostgreSQL), or a function that
   * gets the engine's name. Begin table names with the name of the plugin, so that they never collide with those of the
   * server.
   */
  readonly up: readonly string[] | ((tx: Kysely<unknown>, engine: EngineName) => Promise<void>);
}

/**
 * Runs the migrations of a plugin that have not run yet, each once per database. A table per plugin records which
 * migrations have run. Throws if a statement fails, or if a migration that has run is now missing.
 */
export async function migratePlugin(
  db: Database,
  plugin: string,
  migrations: readonly PluginMigration[],
): Promise<void> {
  if (migrations.length === 0) return;
  const engine: EngineName = postgresOf(db) === undefined ? 'sqlite' : 'postgres';
  const byName: Record<string, Migration> = {};
  for (const { name, up } of migrations) {
    if (Object.hasOwn(byName, name)) throw new Error(`two migrations are named "${name}"`);
    byName[name] = { up: (tx: Kysely<unknown>) => apply(tx, up, engine) };
  }
  const table = `plugin_${plugin.replaceAll('-', '_')}_migrations`;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => byName },
    migrationTableName: table,
    migrationLockTableName: `${table}_lock`,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error');
  const reason = error instanceof Error ? error.message : String(error);
  throw new Error(failed === undefined ? reason : `migration "${failed.migrationName}" failed: ${reason}`, {
    cause: error,
  });
}

async function apply(tx: Kysely<unknown>, up: PluginMigration['up'], engine: EngineName): Promise<void> {
  if (typeof up === 'function') return up(tx, engine);
  for (const statement of up) {
    await sql.raw(engine === 'postgres' ? forPostgres(statement) : statement).execute(tx);
  }
}
