import { COUNTERS_INDEX, EVENT_KEYS } from '../migrations/0220-event-keys.ts';
import { createDayTables } from '../migrations/0232-events-by-day.ts';
import { AS_JSON } from '../migrations/postgres/0001-functions.ts';
import { dayTables } from '../migrations/postgres/0232-events-by-day.ts';
import { forPostgres, type Migrations } from '../migrations.ts';

const receipts = `create table event_batches (
  organization_id text not null, environment_id text not null, batch_id text not null,
  receipt_json text not null, received_at text not null, primary key (${EVENT_KEYS['event_batches']})) strict, without rowid`;
const counters = `create table counters_hourly (
  organization_id text not null, environment_id text not null, hour text not null, flag_key text not null,
  variation_key text not null, reason text not null, rule_id text not null, count integer not null,
  primary key (${EVENT_KEYS['counters_hourly']})) strict, without rowid`;
const moves = 'create table event_moves (table_name text primary key, position_json text not null) strict';

/** The tables of a database that contains only events. Their names and keys are those of the main database. */
export const SQLITE_EVENT_MIGRATIONS: Migrations = {
  '0001-events': [receipts, counters, COUNTERS_INDEX, moves, ...createDayTables(' strict, without rowid')],
};

export const POSTGRES_EVENT_MIGRATIONS: Migrations = {
  '0001-events': [AS_JSON, ...[receipts, counters, COUNTERS_INDEX, moves, ...dayTables].map(forPostgres)],
};
