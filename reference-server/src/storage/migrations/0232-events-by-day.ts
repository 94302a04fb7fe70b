/** The columns of the tables that keep single events. Rows of one day are stored together, in the order of time. */
const COLUMNS = {
  exposures_by_day: `organization_id text not null, environment_id text not null, id text not null,
    timestamp text not null, flag_key text not null, variation_key text, reason text not null, rule_id text,
    user_key text not null, user_key_hashed integer not null default 0, experiment_key text,
    ruleset_version integer, unit_by text, unit_key text`,
  track_events_by_day: `organization_id text not null, environment_id text not null, id text not null,
    timestamp text not null, event_name text not null, user_key text not null,
    user_key_hashed integer not null default 0, value real, properties_json text not null, units_json text`,
} as const;

/** The tables whose rows end after a retention of days. PostgreSQL has a partition of each for each day. */
export const DAY_TABLES = ['exposures_by_day', 'track_events_by_day'] as const;
export type DayTable = (typeof DAY_TABLES)[number];

/** The primary key begins with what the rows are read by. PostgreSQL requires the partition's column in it. */
const KEY = 'organization_id, environment_id, timestamp, id';

/** Creates the tables of single events. `end` completes the statements for an engine. */
export const createDayTables = (end: string): readonly string[] =>
  DAY_TABLES.map((table) => `create table ${table} (${COLUMNS[table]}, primary key (${KEY}))${end}`);
