import { createDayTables, DAY_TABLES } from '../0232-events-by-day.ts';

/** Partitions by day, which the event store creates when a day's first event arrives. */
export const dayTables: readonly string[] = createDayTables(' partition by range (timestamp)');

/** In the main database, row-level security also holds these tables to the organization of a transaction. */
export const eventsByDay: readonly string[] = [
  ...dayTables,
  ...DAY_TABLES.map((table) => `call hold_to_organization('${table}')`),
];
