import { existsSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { createPartitionsIn } from '../../control-plane/features/events/store/partitions.ts';
import type { EventTx, Tx } from '../../storage/database.ts';
import { sqliteFileOf } from '../../storage/database-url.ts';
import { eventMigrationsOf } from '../../storage/events/open-events.ts';
import { readMigrationState } from '../../storage/migration-state.ts';
import { DAY_TABLES, type DayTable } from '../../storage/migrations/0232-events-by-day.ts';
import { queryOver } from '../../storage/sqlite.ts';
import { checkIntegrity } from '../check/check-schema.ts';
import { Refusal } from '../command.ts';
import { listTables, type Table } from '../tables/sqlite-tables.ts';
import { openSource } from './open-source.ts';

/** A table and the file that contains its rows. */
export interface SourceTable {
  readonly source: Sqlite.Database;
  readonly table: Table;
}

/** Tables whose rows have moved from the main file to the events. */
const MOVED = ['event_batches', 'counters_hourly', 'exposures', 'track_events'];
/** Tables that a target does not need. */
const OF_THE_FILE = ['event_moves'];

/** Opens the file of the events; undefined if there is none. */
export function openEvents(eventsUrl: string): Sqlite.Database | undefined {
  const file = sqliteFileOf(eventsUrl);
  return file !== undefined && existsSync(file) ? openSource(file) : undefined;
}

/** The tables of the events. Throws Refusal if the file is damaged or of another version. */
export async function requireSoundEvents(events: Sqlite.Database): Promise<readonly SourceTable[]> {
  const { status, message, details = [] } = checkIntegrity(events, 'integrity_check');
  if (status !== 'ok') throw new Refusal(`${events.name}: ${message}: ${details[0]}.`);
  const { pending, unknown } = await readMigrationState(queryOver(events), eventMigrationsOf('sqlite:'));
  if (pending.length + unknown.length > 0) {
    throw new Refusal(
      `${events.name} has the tables of another version. Start the server of this version on it once, stop it, and run the command again.`,
    );
  }
  return listTables(events)
    .filter(({ name }) => !OF_THE_FILE.includes(name))
    .map((table) => ({ source: events, table }));
}

/** Throws Refusal if the main file still contains events of an earlier version. */
export function requireMoved(source: Sqlite.Database): void {
  const left = MOVED.filter(
    (name) => source.prepare(`select exists (select 1 from "${name}")`).pluck().get() === 1,
  );
  if (left.length === 0) return;
  throw new Refusal(
    `${source.name} still contains events of an earlier version (${left.join(', ')}). Start the server of this version on it once, stop it, and run the command again.`,
  );
}

/** The tables to copy: of a table that is in both files, the one with the events. */
export function withoutMoved(
  tables: readonly SourceTable[],
  events: Sqlite.Database | undefined,
): readonly SourceTable[] {
  if (events === undefined) return tables;
  const own = tables.filter(({ source }) => source === events).map(({ table }) => table.name);
  return tables.filter(({ source, table }) => source === events || !own.includes(table.name));
}

/** Creates the partitions of the days of a table with single events. */
export async function createDayPartitions(source: Sqlite.Database, tx: Tx, { name }: Table): Promise<void> {
  if (!DAY_TABLES.includes(name as DayTable)) return;
  const days = source.prepare(`select distinct substr(timestamp, 1, 10) from "${name}"`).pluck().all();
  await createPartitionsIn(tx as unknown as EventTx, name as DayTable, days as string[]);
}
