import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { CONTRACTIONS, type Contractions } from '../storage/contractions.ts';
import type { Database } from '../storage/database.ts';
import { isPostgresUrl, sqliteFileOf, withoutSecrets } from '../storage/database-url.ts';
import { eventMigrationsOf } from '../storage/events/open-events.ts';
import { type MigrationState, NewerSchema, readMigrationState } from '../storage/migration-state.ts';
import { type Migrations, POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS } from '../storage/migrations.ts';
import { connectDatabase } from '../storage/open-database.ts';
import { estimateSeconds, readTables } from './migration-estimate.ts';
import { explainOpening, openOrFail, type Places } from './open-database.ts';
import { fail, print } from './output.ts';

/** Migrations are due, and older nodes may go on. */
const EXIT_DUE = 2;
/** Migrations are due, and some older nodes must be stopped first. */
const EXIT_STOP_NODES = 3;

/** `flagsvc-server migrate`: migrates the database and ends. */
export async function migrateDatabase(places: Places): Promise<void> {
  const db = await openOrFail(places, {
    onWait: () => print('Another node is migrating the database: waiting for it.'),
    onMigrated: (names) => print(`Migrated: ${names.join(', ')}.`),
  });
  if (db === undefined) return;
  try {
    const { applied } = await readMigrationState(db, migrationsOf(places.databaseUrl));
    print(`The database is up to date: it has all ${applied.length} migrations.`);
  } finally {
    await db.destroy();
  }
}

/** `flagsvc-server migrate --check`: prints what a migration would do, and changes nothing. */
export async function checkMigrations(
  { databaseUrl, eventsUrl }: Places,
  contracting = CONTRACTIONS,
): Promise<void> {
  const migrations = migrationsOf(databaseUrl);
  if (!isPostgresUrl(databaseUrl) && !existsSync(databaseUrl.slice('sqlite:'.length))) {
    print('There is no database yet. The first start creates it.');
    process.exitCode = EXIT_DUE;
    return;
  }
  let db: Database | undefined;
  try {
    db = await connectDatabase(databaseUrl);
    const state = await readMigrationState(db, migrations);
    if (state.barring.length > 0) throw new NewerSchema(state.barring[0]!);
    await report(db, { state, migrations, contracting });
    if (eventsUrl !== databaseUrl) await reportEvents(eventsUrl);
  } catch (error) {
    fail(explainOpening(databaseUrl, error as Error));
  } finally {
    await db?.destroy();
  }
}

/** Says what a start would do to the database of events. */
async function reportEvents(eventsUrl: string): Promise<void> {
  const shown = withoutSecrets(eventsUrl);
  const file = sqliteFileOf(eventsUrl);
  if (file !== undefined && !existsSync(file)) {
    print(`There is no database of events yet. The first start creates ${shown} and moves the events there.`);
    process.exitCode ??= EXIT_DUE;
    return;
  }
  const db = await connectDatabase(eventsUrl);
  try {
    const { pending, barring } = await readMigrationState(db, eventMigrationsOf(eventsUrl));
    if (barring.length > 0) throw new NewerSchema(barring[0]!);
    if (pending.length === 0) return print(`The database of events, ${shown}, is up to date.`);
    print(`The database of events, ${shown}, needs ${pending.join(', ')}.`);
    process.exitCode ??= EXIT_DUE;
  } finally {
    await db.destroy();
  }
}

const migrationsOf = (databaseUrl: string): Migrations =>
  isPostgresUrl(databaseUrl) ? POSTGRES_MIGRATIONS : SQLITE_MIGRATIONS;

async function report(
  db: Database,
  of: {
    readonly state: MigrationState;
    readonly migrations: Migrations;
    readonly contracting: Contractions;
  },
): Promise<void> {
  const { migrations, contracting } = of;
  const { applied, pending, unknown } = of.state;
  if (unknown.length > 0) {
    print(
      `A newer version has migrated the database (${unknown.join(', ')}). This version can still use it.`,
    );
  }
  if (pending.length === 0)
    return print(`The database is up to date: it has all ${applied.length} migrations.`);
  print(`${pending.length === 1 ? '1 migration is' : `${pending.length} migrations are`} due:`);
  for (const name of pending) print(`  ${name}: ${await describe(db, migrations[name]!)}`);
  const contractions = pending.filter((name) => Object.hasOwn(contracting, name));
  if (contractions.length === 0) {
    print('Nodes of the version before can keep running, and can be started again.');
    process.exitCode = EXIT_DUE;
    return;
  }
  const required = contractions.map((name) => contracting[name]);
  print(`First stop nodes of versions that lack ${required.join(', ')}. They cannot be started again.`);
  process.exitCode = EXIT_STOP_NODES;
}

/** Which rows a migration reads or writes, and how long that takes. */
async function describe(db: Database, statements: readonly string[]): Promise<string> {
  const counts: string[] = [];
  let seconds = 0;
  for (const table of readTables(statements)) {
    const rows = await countRows(db, table);
    if (rows === undefined) continue;
    counts.push(`${rows.toLocaleString('en')} rows of ${table}`);
    seconds += estimateSeconds(rows);
  }
  if (counts.length === 0) return 'adds tables or columns, less than a second';
  return `goes through ${counts.join(', ')}, ${seconds < 1 ? 'less than a second' : `about ${Math.ceil(seconds)} s`}`;
}

/** Undefined for a table that an earlier migration creates. */
async function countRows(db: Database, table: string): Promise<number | undefined> {
  try {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(
      db,
    );
    return rows[0]!.rows;
  } catch {
    return undefined;
  }
}
