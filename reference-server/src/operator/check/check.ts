import { existsSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Secrets } from '../../app/secrets.ts';
import type { Database } from '../../storage/database.ts';
import { isPostgresUrl, sqliteFileOf, withoutSecrets } from '../../storage/database-url.ts';
import type { MigrationState } from '../../storage/migration-state.ts';
import { recordRowChanges } from '../../storage/row-changes.ts';
import { queryOver } from '../../storage/sqlite.ts';
import { openReadOnly } from '../../storage/sqlite-file.ts';
import { type OperatorContext, type Outcome, Refusal } from '../command.ts';
import { readMigrations } from '../tables/migrations.ts';
import { attempt, failed } from './attempt.ts';
import { checkAudit } from './check-audit.ts';
import { checkEvents } from './check-events.ts';
import { type CheckResult, reportChecks } from './check-result.ts';
import { checkRulesets } from './check-rulesets.ts';
import {
  checkForeignKeys,
  checkIntegrity,
  checkMigrations,
  checkPostgresForeignKeys,
  type IntegrityDepth,
} from './check-schema.ts';
import { checkSecrets } from './check-secrets.ts';

const POSTGRES_PAGES: CheckResult = {
  status: 'skipped',
  message: 'to check the pages and indexes of PostgreSQL, run pg_amcheck',
};

/** Checks the database without changing it. The server may be running. */
export async function check(context: OperatorContext, depth: IntegrityDepth): Promise<Outcome> {
  const { databaseUrl } = context;
  const shown = withoutSecrets(databaseUrl);
  if (isPostgresUrl(databaseUrl)) {
    const results = await checkPostgres(context);
    for (const [name, result] of await checkEvents(context, depth)) results.set(name, result);
    return reportChecks(shown, results);
  }
  const file = sqliteFileOf(databaseUrl);
  if (file === undefined) throw new Refusal('A database in memory exists only while its server runs.');
  if (!existsSync(file)) throw new Refusal(`${file} does not exist. See FLAGSVC_DATABASE_URL.`);
  const results = await checkSqliteFile(file, context, depth);
  for (const [name, result] of await checkEvents(context, depth)) results.set(name, result);
  return reportChecks(shown, results);
}

/** Runs all checks on an SQLite file. */
export async function checkSqliteFile(
  file: string,
  secrets: Secrets,
  depth: IntegrityDepth,
): Promise<Map<string, CheckResult>> {
  const results = new Map<string, CheckResult>();
  let connection: Sqlite.Database;
  try {
    connection = openReadOnly(file);
  } catch (error) {
    return results.set('integrity', failed(error));
  }
  const db = queryOver(connection);
  try {
    results.set('integrity', await attempt(() => checkIntegrity(connection, depth)));
    results.set('foreign keys', await attempt(() => checkForeignKeys(connection)));
    await attempt(() => recordRowChanges(db));
    await checkContents(db, secrets, results);
  } finally {
    // Kysely closes only a connection that it has used.
    await db.destroy();
    connection.close();
  }
  return results;
}

async function checkPostgres({
  databaseUrl,
  ...secrets
}: OperatorContext): Promise<Map<string, CheckResult>> {
  const { connectPostgres } = await import('../../storage/postgres.ts');
  const db = connectPostgres(databaseUrl);
  const results = new Map<string, CheckResult>([['integrity', POSTGRES_PAGES]]);
  try {
    await requireConnection(db, withoutSecrets(databaseUrl));
    results.set('foreign keys', await attempt(() => checkPostgresForeignKeys(db)));
    await checkContents(db, secrets, results);
  } finally {
    await db.destroy();
  }
  return results;
}

/** Throws Refusal if the database cannot be reached, because then nothing is known about it. */
async function requireConnection(db: Database, shown: string): Promise<void> {
  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    throw new Refusal(`${shown} cannot be checked: ${(error as Error).message}. See FLAGSVC_DATABASE_URL.`);
  }
}

async function checkContents(
  db: Database,
  secrets: Secrets,
  results: Map<string, CheckResult>,
): Promise<void> {
  let state: MigrationState;
  try {
    state = await readMigrations(db);
  } catch (error) {
    const message = `the tables of flagsvc cannot be read: ${(error as Error).message}`;
    results.set('migrations', { status: 'failed', message });
    return;
  }
  results.set('migrations', checkMigrations(state));
  const isCurrent = state.pending.length === 0 && state.barring.length === 0;
  const checks = {
    audit: () => checkAudit(db),
    secrets: () => checkSecrets(db, secrets),
    rulesets: () => checkRulesets(db),
  };
  for (const [name, run] of Object.entries(checks)) results.set(name, isCurrent ? await attempt(run) : OTHER);
}

const OTHER: CheckResult = { status: 'skipped', message: 'the schema is that of another version' };
