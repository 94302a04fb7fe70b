/** The tables of evaluation events. No foreign keys: events outlive flags and environments. */
export const events: readonly string[] = [
  `create table event_batches (
    organization_id text not null, environment_id text not null, batch_id text not null,
    receipt_json text not null, received_at text not null, primary key (environment_id, batch_id)
  ) strict, without rowid`,
  `create table counters_hourly (
    organization_id text not null, environment_id text not null, hour text not null, flag_key text not null,
    variation_key text not null, reason text not null, rule_id text not null, count integer not null,
    primary key (environment_id, hour, flag_key, variation_key, reason, rule_id)
  ) strict, without rowid`,
  `create table exposures (
    organization_id text not null, environment_id text not null, id text not null, timestamp text not null,
    flag_key text not null, variation_key text, reason text not null, rule_id text, user_key text not null,
    ruleset_version integer, primary key (environment_id, id)
  ) strict, without rowid`,
  `create table track_events (
    organization_id text not null, environment_id text not null, id text not null, timestamp text not null,
    event_name text not null, user_key text not null, value real, properties_json text not null,
    primary key (environment_id, id)
  ) strict, without rowid`,
];
