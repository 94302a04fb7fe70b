/** The tables of what SDKs report. Events have a database of their own on SQLite (decisions/0046). */

import type { Generated } from 'kysely';
import type { Flag01 } from './flag-tables.ts';

export interface EventBatchTable {
  organization_id: string;
  environment_id: string;
  batch_id: string;
  receipt_json: string;
  received_at: string;
}

export interface CounterHourlyTable {
  organization_id: string;
  environment_id: string;
  /** Start of the hour, ISO 8601 UTC. */
  hour: string;
  flag_key: string;
  /** Empty when no variation was served. */
  variation_key: string;
  reason: string;
  /** Empty when no rule decided. */
  rule_id: string;
  count: number;
}

export interface ExposureTable {
  organization_id: string;
  environment_id: string;
  id: string;
  timestamp: string;
  flag_key: string;
  variation_key: string | null;
  reason: string;
  rule_id: string | null;
  /** Empty if the event has none; then it has a unit. */
  user_key: string;
  /** 1: `user_key` is a hash that the sender made. A hashed and a plain key never count as the same user. */
  user_key_hashed: Generated<Flag01>;
  experiment_key: string | null;
  ruleset_version: number | null;
  /** The attribute that the rule assigns, and its value; null if the rule assigns users. */
  unit_by: string | null;
  unit_key: string | null;
}

export interface TrackEventTable {
  organization_id: string;
  environment_id: string;
  id: string;
  timestamp: string;
  event_name: string;
  /** Empty if the event has none; then it has units. */
  user_key: string;
  /** 1: `user_key` is a hash that the sender made, as in exposures. */
  user_key_hashed: Generated<Flag01>;
  value: number | null;
  properties_json: string;
  /** Keys of the units besides the user, by attribute; null if there are none. */
  units_json: string | null;
}

/**
 * One of the contexts that an environment evaluated, redacted. Keyed by the environment, because deleting an environment
 * deletes its contexts.
 */
export interface RecordedContextTable {
  organization_id: string;
  environment_id: string;
  /** The hash of `context_json`; equal contexts are kept once. */
  digest: string;
  /** Random; the contexts with the highest ranks are kept. */
  rank: number;
  recorded_at: string;
  context_json: string;
}

/** An SDK that reported events with an API key. */
export interface SdkSeenTable {
  organization_id: string;
  environment_id: string;
  key_id: string;
  name: string;
  version: string;
  first_seen_at: string;
  last_seen_at: string;
  requests: number;
}

/** An order to delete the events of a user. */
export interface ErasureTable {
  organization_id: string;
  id: string;
  /** Null once the order is carried out. */
  user_key: string | null;
  created_at: string;
  completed_at: string | null;
  exposures: number;
  track_events: number;
}

/** Tables of the main database about what SDKs report. */
export interface ReportTables {
  erasures: ErasureTable;
  recorded_contexts: RecordedContextTable;
  sdks_seen: SdkSeenTable;
}

/** How far the rows of a table of the main database have been copied, while they move. */
export interface EventMoveTable {
  table_name: string;
  /** The primary key of the last copied row, as a JSON list. */
  position_json: string;
}

export interface EventTables {
  event_batches: EventBatchTable;
  counters_hourly: CounterHourlyTable;
  /** On PostgreSQL, a partition for each day, as of `track_events_by_day`. */
  exposures_by_day: ExposureTable;
  track_events_by_day: TrackEventTable;
  event_moves: EventMoveTable;
}
