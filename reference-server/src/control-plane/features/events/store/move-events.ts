import { setImmediate } from 'node:timers/promises';
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Database, EventDatabase } from '../../../../storage/database.ts';
import { postgresOf } from '../../../../storage/engine.ts';
import { eventsOf, hasOwnEvents } from '../../../../storage/events/event-database.ts';
import { rowsOf } from '../../../../storage/json-rows.ts';
import { writeExclusively } from '../../../../storage/transactions.ts';
import type { StoredKeys } from '../stored-keys.ts';
import type { EventRow } from './event-keys.ts';
import { DAY_TABLES_OF_MAIN, EARLIER_TABLES, type MovedTable, SAME_TABLES } from './moved-tables.ts';
import { createPartitions } from './partitions.ts';

/** Rows of one transaction. */
const CHUNK = 2_000;

export interface Moving {
  readonly db: Database;
  readonly keys: StoredKeys;
  /** Called once, before the first row moves. */
  readonly onStart?: () => void;
}

/**
 * Moves the events that earlier versions stored in the main database to where they are stored now, and returns the
 * number of rows. May be interrupted and run again at any time, on several nodes at once: every row moves once.
 */
export async function moveEvents({ db, keys, onStart }: Moving): Promise<number> {
  const events = eventsOf(db);
  const moveChunk = hasOwnEvents(db) ? createMoveApart(db, events) : createMoveWithin(events);
  const partitions = postgresOf(events) === undefined ? undefined : createPartitions(events);
  const prepare: Prepare = async ({ prepare: change, timeAt }, rows) => {
    const stored = change === undefined ? rows : rows.map((row) => change(row, keys));
    if (timeAt !== undefined) await partitions?.prepare(stored.map((row) => dayOf(String(row[timeAt]))));
    return stored;
  };
  let moved = 0;
  for (const table of tablesOf(db)) {
    if (await isEmpty(db, table)) {
      if (hasOwnEvents(db)) await forgetPosition(events, table);
      continue;
    }
    if (moved === 0) onStart?.();
    for (let count = -1; count !== 0; moved += count) {
      count = await moveChunk(table, prepare);
      await setImmediate();
    }
  }
  return moved;
}

/** The tables whose rows have another place. */
function tablesOf(db: Database): readonly MovedTable[] {
  if (!hasOwnEvents(db)) return EARLIER_TABLES;
  const byDay = postgresOf(db) === undefined ? [] : DAY_TABLES_OF_MAIN;
  return [...SAME_TABLES, ...EARLIER_TABLES, ...byDay];
}

async function isEmpty(db: Database, { name }: MovedTable): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
  return rows.length === 0;
}

/** Returns the rows as they are stored, and creates the partitions that they need. */
type Prepare = (table: MovedTable, rows: readonly EventRow[]) => Promise<readonly EventRow[]>;

/** Moves the first rows of a table; returns how many. 0: the table is empty. */
type MoveChunk = (table: MovedTable, prepare: Prepare) => Promise<number>;

/**
 * Moves between two databases. The target records, in the transaction that copies rows, up to which row it has them;
 * the next run first deletes those from the source.
 */
function createMoveApart(db: Database, events: EventDatabase): MoveChunk {
  return (table, prepare) =>
    writeExclusively(events, 'moving events', async (tx) => {
      const { name: table_name } = table;
      const own = tx.selectFrom('event_moves').where('table_name', '=', table_name);
      const copied = await own.select('position_json').executeTakeFirst();
      if (copied !== undefined) await deleteUpTo(db, table, JSON.parse(copied.position_json) as EventRow);
      const rows = await readRows(db, table);
      if (rows.length === 0) {
        await forgetPosition(tx, table);
        return 0;
      }
      await table.insert(tx, await prepare(table, rows));
      const position_json = JSON.stringify(keyOf(table, rows.at(-1)!));
      await tx
        .insertInto('event_moves')
        .values({ table_name, position_json })
        .onConflict((conflict) => conflict.column('table_name').doUpdateSet({ position_json }))
        .execute();
      return rows.length;
    });
}

/** Moves between tables of one database, to which nodes of the version before may still write. */
function createMoveWithin(events: EventDatabase): MoveChunk {
  return (table, prepare) =>
    writeExclusively(events, 'moving events', async (tx) => {
      const rows = await readRows(tx, table);
      await table.insert(tx, await prepare(table, rows));
      const keys = rows.map((row) => keyOf(table, row));
      const parts = table.key.map((_, index) => sql`value ->> ${sql.lit(index)}`);
      await sql`delete from ${sql.table(table.name)}
        where (${list(table.key)}) in (select ${sql.join(parts)} from ${rowsOf(keys)} as item)`.execute(tx);
      return rows.length;
    });
}

async function forgetPosition(events: EventDatabase, { name }: MovedTable): Promise<void> {
  await events.deleteFrom('event_moves').where('table_name', '=', name).execute();
}

/** The first rows of a table in the order of its key. */
async function readRows(
  db: QueryExecutorProvider,
  { name, key, columns }: MovedTable,
): Promise<readonly EventRow[]> {
  const { rows } = await sql<Record<string, string | number | null>>`
    select ${list(columns)} from ${sql.table(name)} order by ${list(key)} limit ${CHUNK}`.execute(db);
  return rows.map((row) => columns.map((column) => row[column]!));
}

/** Deletes the rows up to the one with this key. */
async function deleteUpTo(db: Database, { name, key }: MovedTable, position: EventRow): Promise<void> {
  await sql`delete from ${sql.table(name)} where (${list(key)}) <= (${sql.join(position)})`.execute(db);
}

const keyOf = ({ key, columns }: MovedTable, row: EventRow): EventRow =>
  key.map((column) => row[columns.indexOf(column)]!);

const list = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)));

const dayOf = (timestamp: string): string => timestamp.slice(0, '2026-11-20'.length);
