import { existsSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { isPostgresUrl, sqliteFileOf, withoutSecrets } from '../../storage/database-url.ts';
import { defaultEventsUrl } from '../../storage/events/events-url.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { queryOver } from '../../storage/sqlite.ts';
import { describeDatabase } from '../backup/describe.ts';
import { checkForeignKeys, checkIntegrity } from '../check/check-schema.ts';
import { countOf, type OperatorContext, type Outcome, Refusal } from '../command.ts';
import { rethrowFault } from '../faults.ts';
import { readMigrations } from '../tables/migrations.ts';
import { listTables, orderByReferences, type Table } from '../tables/sqlite-tables.ts';
import { copyTable, digestTarget } from './copy-table.ts';
import {
  createDayPartitions,
  openEvents,
  requireMoved,
  requireSoundEvents,
  type SourceTable,
  withoutMoved,
} from './event-source.ts';
import { openSource } from './open-source.ts';
import { finishTarget, prepareTarget } from './prepare-target.ts';

export interface MigrateOptions {
  /** `sqlite:<path>`, a database that no server uses. */
  readonly from: string;
  /** `postgres://…`, an empty database. */
  readonly to: string;
}

/**
 * Copies a whole installation from SQLite to an empty PostgreSQL database, in one transaction: if it stops, the target
 * stays empty and the command can run again. Every table's rows are read back and compared before the commit. The source
 * is not changed.
 */
export async function migrateDatabase(
  { note, ...places }: Pick<OperatorContext, 'note' | 'databaseUrl' | 'eventsUrl'>,
  { from, to }: MigrateOptions,
): Promise<Outcome> {
  const file = sqliteFileOf(from);
  if (file === undefined || !isPostgresUrl(to)) {
    throw new Refusal(
      'Only moves from SQLite to PostgreSQL are supported: --from sqlite:<path> --to postgres://user:password@host/database',
    );
  }
  if (!existsSync(file)) throw new Refusal(`${file} does not exist.`);
  const source = openSource(file);
  const eventsUrl = from === places.databaseUrl ? places.eventsUrl : defaultEventsUrl(from);
  const events = openEvents(eventsUrl);
  try {
    const tables = [
      ...orderByReferences(await requireSound(source)).map((table) => ({ source, table })),
      ...(events === undefined ? [] : await requireSoundEvents(events)),
    ];
    requireMoved(source);
    const target = await openTarget(to);
    try {
      note('Copying in one transaction: if this command stops, the target stays empty. Run it again then.');
      const counts = await copyAll({ source, target, tables: withoutMoved(tables, events), note });
      await sql`analyze`.execute(target);
      return report({ file, to, counts, eventsUrl });
    } finally {
      await target.destroy();
    }
  } finally {
    events?.close();
    source.close();
  }
}

/** The tables of a source that can be copied. Throws Refusal if it is damaged or of another version. */
async function requireSound(source: Sqlite.Database): Promise<Table[]> {
  try {
    const checks = [checkIntegrity(source, 'integrity_check'), checkForeignKeys(source)];
    for (const { status, message, details = [] } of checks) {
      if (status !== 'ok') throw new Refusal(`${source.name}: ${message}: ${details[0]}.`);
    }
    await describeDatabase(source);
    const { pending, unknown } = await readMigrations(queryOver(source));
    if (unknown.length > 0) {
      throw new Refusal(
        `A newer version of flagsvc has changed ${source.name} (${unknown.join(', ')}). Use that version or a later one.`,
      );
    }
    if (pending.length > 0) {
      throw new Refusal(
        `${source.name} has the tables of an older version. Start the server of this version on it once, stop it, and run the command again.`,
      );
    }
    return listTables(source);
  } catch (error) {
    return rethrowFault(error, `Reading ${source.name}`);
  }
}

async function openTarget(to: string): Promise<Database> {
  try {
    return await openDatabase(to);
  } catch (error) {
    throw new Refusal(`Opening ${withoutSecrets(to)} failed: ${(error as Error).message}. Check --to.`, {
      cause: error,
    });
  }
}

interface Copying {
  readonly source: Sqlite.Database;
  readonly target: Database;
  readonly tables: readonly SourceTable[];
  note(line: string): void;
}

/** Copies and compares all tables. Returns the number of rows by table. */
async function copyAll({ source, target, tables, note }: Copying): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const plain = tables.map(({ table }) => table);
  await target.transaction().execute(async (tx) => {
    await prepareTarget(source, tx, plain);
    for (const { source: from, table } of tables) {
      await createDayPartitions(from, tx, table);
      const copied = await copyTable(from, tx, table);
      const found = await digestTarget(tx, table);
      if (found.rows !== copied.rows || found.sha256 !== copied.sha256) {
        throw new Refusal(
          `The copy of ${table.name} differs from the source (${found.rows} and ${copied.rows} rows). Nothing was kept.`,
        );
      }
      counts.set(table.name, copied.rows);
      if (copied.rows > 0) note(`copied and compared ${table.name}: ${countOf(copied.rows, 'row')}`);
    }
    await finishTarget(source, tx, plain);
  });
  return counts;
}

interface Moved {
  readonly file: string;
  readonly to: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly eventsUrl: string;
}

function report({ file, to, counts, eventsUrl }: Moved): Outcome {
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    lines: [
      `${withoutSecrets(to)} now contains the whole installation: ${countOf(rows, 'row')} in ${countOf(counts.size, 'table')}, each table compared by its hash.`,
      'Set FLAGSVC_DATABASE_URL to it, keep both secrets, and start the server.',
      ...(isPostgresUrl(eventsUrl)
        ? [`The events stay in ${withoutSecrets(eventsUrl)}. Keep FLAGSVC_EVENTS_URL.`]
        : []),
      `${file} was not changed. Do not start a server on it again: its changes would be missing in the copy.`,
    ],
    result: { from: file, to: withoutSecrets(to), tables: Object.fromEntries(counts) },
  };
}
