/**
 * The primary keys of the event tables. Each begins with the organization, so that one tenant's events are stored
 * together.
 */
export const EVENT_KEYS: Readonly<Record<string, string>> = {
  event_batches: 'organization_id, environment_id, batch_id',
  counters_hourly: 'organization_id, environment_id, hour, flag_key, variation_key, reason, rule_id',
  exposures: 'organization_id, environment_id, id',
  track_events: 'organization_id, environment_id, id',
};

/** The index of `counters_hourly` that finds a flag's counts. */
export const COUNTERS_INDEX =
  'create index counters_hourly_by_flag on counters_hourly (organization_id, environment_id, flag_key, hour)';

const COLUMNS: Readonly<Record<string, string>> = {
  event_batches: `organization_id text not null, environment_id text not null, batch_id text not null,
    receipt_json text not null, received_at text not null`,
  counters_hourly: `organization_id text not null, environment_id text not null, hour text not null,
    flag_key text not null, variation_key text not null, reason text not null, rule_id text not null,
    count integer not null`,
  exposures: `organization_id text not null, environment_id text not null, id text not null,
    timestamp text not null, flag_key text not null, variation_key text, reason text not null, rule_id text,
    user_key text not null, ruleset_version integer, user_key_hashed integer not null default 0,
    experiment_key text`,
  track_events: `organization_id text not null, environment_id text not null, id text not null,
    timestamp text not null, event_name text not null, user_key text not null, value real,
    properties_json text not null, user_key_hashed integer not null default 0`,
};

/** SQLite cannot change a primary key, so each table is written anew with its rows. */
export const eventKeys: readonly string[] = [
  ...Object.entries(EVENT_KEYS).flatMap(([table, key]) => [
    `create table ${table}_new (${COLUMNS[table]}, primary key (${key})) strict, without rowid`,
    `insert into ${table}_new select * from ${table}`,
    `drop table ${table}`,
    `alter table ${table}_new rename to ${table}`,
  ]),
  COUNTERS_INDEX,
];
