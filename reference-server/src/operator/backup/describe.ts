import type Sqlite from 'better-sqlite3';
import { queryOver } from '../../storage/sqlite.ts';
import { Refusal } from '../command.ts';
import { readMigrations } from '../tables/migrations.ts';
import { listTables } from '../tables/sqlite-tables.ts';
import type { BackedUpEnvironment, BackupContents } from './manifest.ts';

/** What a database contains, for its manifest. */
export type Described = Pick<BackupContents, 'installation' | 'migrations' | 'tables' | 'environments'>;

/** Describes an SQLite database of any version of flagsvc. Throws Refusal if it is not one. */
export async function describeDatabase(connection: Sqlite.Database): Promise<Described> {
  const names = new Set(listTables(connection).map(({ name }) => name));
  if (!['organizations', 'environments', 'rulesets'].every((name) => names.has(name))) {
    throw new Refusal(`${connection.name} does not contain the tables of flagsvc.`);
  }
  const { applied: migrations } = await readMigrations(queryOver(connection));
  const pluck = <T>(query: string): T[] => connection.prepare(query).pluck().all() as T[];
  return {
    installation: pluck<string>('select id from organizations order by id limit 1')[0] ?? '',
    migrations,
    tables: countRows(connection),
    environments: readEnvironments(connection),
  };
}

/** The number of rows by table. */
export function countRows(connection: Sqlite.Database): Record<string, number> {
  const counts = listTables(connection).map(({ name }) => {
    const count = connection.prepare(`select count(*) from "${name}"`).pluck().get() as number;
    return [name, count] as const;
  });
  return Object.fromEntries(counts);
}

/** The version of each environment's ruleset. */
export function readEnvironments(connection: Sqlite.Database): BackedUpEnvironment[] {
  return connection
    .prepare(
      `select environments.id, projects.key as project, environments.key, rulesets.version
        from rulesets join environments on environments.id = rulesets.environment_id
        join projects on projects.id = environments.project_id order by projects.key, environments.position`,
    )
    .all() as BackedUpEnvironment[];
}
