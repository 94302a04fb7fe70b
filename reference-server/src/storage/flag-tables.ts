/** The tables of flags and segments, their revisions, search documents and imports. */

import type { Generated, GeneratedAlways, Selectable } from 'kysely';

/** A boolean as SQLite's STRICT tables store it. */
export type Flag01 = 0 | 1;

/** The part of a flag that all environments share. */
export interface FlagTable {
  organization_id: string;
  project_id: string;
  id: string;
  key: string;
  name: string;
  description: string;
  flag_type: string;
  /** Never `deleted`: a deleted flag has no row. */
  status: string;
  variations_json: string;
  tags_json: string;
  classification: string | null;
  client_side: Flag01;
  /** 1 when SDKs report exposures of the flag. */
  track_exposures: Generated<Flag01>;
  permanent: Flag01;
  owner_id: string | null;
  expected_end_at: string | null;
  revision: number;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
  /** When the flag became stale; null unless its status is stale. */
  stale_since: Generated<string | null>;
  stale_reasons_json: Generated<string>;
  /** Days without use after which the flag counts as stale; null: the project's setting. */
  stale_after_days: Generated<number | null>;
  /** The nightly job skips the flag until then. */
  stale_snoozed_until: Generated<string | null>;
}

/** The part of a flag that belongs to one environment. */
export interface FlagEnvironmentTable {
  organization_id: string;
  flag_id: string;
  environment_id: string;
  enabled: Flag01;
  default_variation: string;
  /** Rules sorted by priority, each with its id and name. */
  rules_json: string;
  prerequisites_json: string;
  revision: number;
  updated_at: string;
  /** Unused: evaluations are counted in `counters_hourly`. */
  last_evaluated_at: Generated<string | null>;
  /** What older versions read as `serving_kind`. */
  serving_state: GeneratedAlways<'off' | 'on' | 'share' | 'rules'>;
  /** What the flag serves, in one word (`summarizeServing`). Computed by the database. */
  serving_kind: GeneratedAlways<'off' | 'on' | 'share' | 'rules'>;
}

/** A past state of one part of a flag; `environment_id` is empty for the shared part. Written by triggers. */
export interface FlagRevisionTable {
  organization_id: string;
  seq: Generated<number>;
  flag_id: string;
  environment_id: string;
  revision: number;
  /** The audit entry of the change; null only inside its transaction, empty when unknown. */
  audit_id: string | null;
  created_at: string;
  /** The columns that are set when the revision is restored, by name. */
  content_json: string;
}

/** A search result and its text, indexed in `search_index`. Written by triggers. */
export interface SearchDocumentTable {
  organization_id: string;
  doc: Generated<number>;
  project_id: string;
  type: string;
  id: string;
  key: string;
  name: string;
  description: string;
}

/** The key of a permanently deleted flag, which cannot be reused before `reserved_until`. */
export interface ReservedKeyTable {
  organization_id: string;
  project_id: string;
  key: string;
  flag_id: string;
  reserved_at: string;
  reserved_until: string;
}

export interface ImportTable {
  organization_id: string;
  project_id: string;
  id: string;
  format: string;
  mode: string;
  status: string;
  /** The document in the `flagsvc` format, whatever the format of the upload. */
  document_json: string;
  plan_json: string;
  /** SHA-256 of the state that the plan was made against. */
  fingerprint: string;
  error_json: string | null;
  created_by: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface SegmentTable {
  organization_id: string;
  project_id: string;
  id: string;
  key: string;
  name: string;
  description: string;
  conditions_json: string;
  /** User keys that are members even if the conditions do not match; null: no list. */
  included_json: Generated<string | null>;
  /** User keys that are never members, even if they are included or match the conditions. */
  excluded_json: Generated<string>;
  tags_json: string;
  revision: number;
  created_at: string;
  updated_at: string;
}

/** A row of `segments`. */
export type SegmentRow = Selectable<SegmentTable>;
