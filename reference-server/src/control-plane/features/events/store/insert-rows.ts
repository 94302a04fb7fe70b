import { sql } from 'kysely';
import type { EventTx } from '../../../../storage/database.ts';
import { numberAt, rowsOf } from '../../../../storage/json-rows.ts';
import type { EventRow } from './event-keys.ts';

// Rows are passed as one JSON parameter, so that one prepared statement serves any number of them.

/** Adds counts. The rows are sorted, because two nodes that lock rows in different orders would wait for each other. */
export async function insertCounters(tx: EventTx, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const sorted = rows.map((row) => ({ row, name: row.join('\n') }));
  sorted.sort((one, other) => (one.name < other.name ? -1 : 1));
  await sql`
    insert into counters_hourly
      (organization_id, environment_id, hour, flag_key, variation_key, reason, rule_id, count)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, ${numberAt(7)}
    from ${rowsOf(sorted.map(({ row }) => row))} as item where true
    on conflict (organization_id, environment_id, hour, flag_key, variation_key, reason, rule_id)
      do update set count = counters_hourly.count + excluded.count`.execute(tx);
}

export async function insertExposures(tx: EventTx, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into exposures_by_day
      (organization_id, environment_id, timestamp, id, flag_key, variation_key, reason, rule_id, user_key,
       user_key_hashed, experiment_key, ruleset_version, unit_by, unit_key)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
      value ->> 8, ${numberAt(9)}, value ->> 10, ${numberAt(11)}, value ->> 12, value ->> 13
    from ${rowsOf(rows)} as item where true
    on conflict do nothing`.execute(tx);
}

export async function insertTracks(tx: EventTx, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into track_events_by_day
      (organization_id, environment_id, timestamp, id, event_name, user_key, user_key_hashed, value, properties_json,
       units_json)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, ${numberAt(6)}, ${numberAt(7)},
      value ->> 8, value ->> 9
    from ${rowsOf(rows)} as item where true
    on conflict do nothing`.execute(tx);
}

export async function insertReceipts(tx: EventTx, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into event_batches (organization_id, environment_id, batch_id, receipt_json, received_at)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from ${rowsOf(rows)} as item where true
    on conflict (organization_id, environment_id, batch_id)
      do update set receipt_json = excluded.receipt_json, received_at = excluded.received_at`.execute(tx);
}
