import { COUNTERS_INDEX, EVENT_KEYS } from '../0220-event-keys.ts';

/** The primary keys of the event tables begin with the organization, as on SQLite. */
export const eventKeys: readonly string[] = [
  ...Object.entries(EVENT_KEYS).map(
    ([table, key]) => `alter table ${table} drop constraint ${table}_pkey, add primary key (${key})`,
  ),
  'drop index counters_hourly_by_flag',
  COUNTERS_INDEX,
];
