/**
 * The types of the tables for Kysely. Every tenant table starts with `organization_id`. Timestamps are ISO 8601 UTC
 * with milliseconds; `Flag01` columns contain 0 or 1; columns named `*_json` contain JSON text.
 */

import type { Generated } from 'kysely';
import type { CodeReferenceTables } from './code-reference-tables.ts';
import type { ReportTables } from './event-tables.ts';
import type {
  Flag01,
  FlagEnvironmentTable,
  FlagRevisionTable,
  FlagTable,
  ImportTable,
  ReservedKeyTable,
  SearchDocumentTable,
  SegmentTable,
} from './flag-tables.ts';
import type { MailQueueTable } from './mail-tables.ts';
import type { PeopleTables } from './people-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

/** A migration that has run. */
export interface SchemaChangeTable {
  name: string;
  applied_at: string;
  /** The migration that a version must know to use the database afterwards; null if older versions may use it too. */
  requires: string | null;
}

export interface OrganizationTable {
  id: string;
  name: string;
  slug: string;
  plan: string;
  status: string;
  settings_json: string;
  revision: number;
  created_at: string;
  updated_at: string;
}

export interface ProjectTable {
  organization_id: string;
  id: string;
  key: string;
  name: string;
  description: string;
  settings_json: string;
  tags_json: string;
  default_environment_id: string | null;
  revision: number;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
}

export interface EnvironmentTable {
  organization_id: string;
  project_id: string;
  id: string;
  key: string;
  name: string;
  type: string;
  color: string;
  position: number;
  critical: Flag01;
  require_comment: Flag01;
  confirm_changes: Flag01;
  /** 1: keeps a sample of the evaluated contexts. */
  record_contexts: Flag01;
  revision: number;
  created_at: string;
  updated_at: string;
  /** Null while it is in use. */
  archived_at: string | null;
}

export interface ApiKeyTable {
  organization_id: string;
  project_id: string;
  environment_id: string;
  id: string;
  name: string;
  kind: string;
  /** HMAC-SHA256 of the key with FLAGSVC_API_SECRET_KEY, hex. The key itself is not stored. */
  hash: string;
  prefix: string;
  last_four: string;
  allowed_origins_json: string;
  allowed_ips_json: string;
  rate_limits_json: string;
  created_by: string | null;
  revision: number;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  /** The hash before the last rotation, valid until `previous_expires_at`. */
  previous_hash: string | null;
  previous_expires_at: string | null;
  /** The `expires_at` for which the last notice was sent. */
  noticed_expiry: string | null;
}

export interface AuditEntryTable {
  organization_id: string;
  id: string;
  action: string;
  actor_kind: string;
  actor_id: string | null;
  actor_email: string | null;
  /** The service account's name at the time. */
  actor_name: string | null;
  /** The machine token that made the request. */
  actor_token_id: string | null;
  resource_type: string;
  resource_id: string;
  resource_key: string | null;
  project_id: string | null;
  environment_id: string | null;
  /** 1: the change affects every environment of the project, so the history of each environment shows the entry. */
  project_wide: Flag01;
  /** `{from, to}` for each changed field. */
  changes_json: string;
  comment: string | null;
  via: string;
  request_id: string | null;
  ip: string | null;
  user_agent: string | null;
  created_at: string;
  /** The break-glass session that permitted the change. */
  break_glass_id: string | null;
  change_request_id: string | null;
  /** The resource's revision before the change, if the resource has revisions. */
  revision: number | null;
  /**
   * The entry without personal fields, as canonical JSON (RFC 8785). Never updated; null in entries from before
   * migration 0200.
   */
  content_json: string | null;
  /** SHA-256 of `content_json` in hex. Never updated; null in entries from before migration 0200. */
  leaf_hash: string | null;
}

/** The identity of an environment's ruleset: an epoch and a version. */
export interface RulesetTable {
  organization_id: string;
  environment_id: string;
  /** Random; changes when a restored backup makes version numbers repeat. */
  epoch: string;
  version: number;
  /** Entity tag of the last published version; null before the first. */
  etag: string | null;
  updated_at: string;
  /** Counts changes to what the environment's API keys grant. Written by triggers. */
  keys_revision: Generated<number>;
}

/**
 * Events of committed changes. Keyed by `seq` alone, because one consumer delivers the events of all organizations in
 * order.
 */
export interface OutboxTable {
  seq: Generated<number>;
  organization_id: string;
  topic: string;
  payload_json: string;
  created_at: string;
  delivered_at: string | null;
}

export interface IdempotencyKeyTable {
  organization_id: string;
  key: string;
  method: string;
  path: string;
  body_hash: string;
  answer_json: string;
  /** The warnings of the answer; default `[]`. */
  warnings_json: Generated<string>;
  created_at: string;
}

export interface FreezeWindowTable {
  organization_id: string;
  id: string;
  name: string;
  reason: string;
  scope_json: string;
  starts_at: string;
  /** Null: a user or the recurrence ends the window. */
  ends_at: string | null;
  recurrence_json: string | null;
  /** Start of the last occurrence; null if the window recurs without end. */
  last_start_at: string | null;
  /** When the window ends for good; null if that is not known. */
  final_end_at: string | null;
  blocked_actions_json: string;
  allow_json: string;
  notify_before_minutes: number;
  /** Start of the occurrence for which the last notice was sent. */
  noticed_at: string | null;
  created_by: string | null;
  revision: number;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  ended_by: string | null;
  cancelled_at: string | null;
}

export interface BreakGlassTable {
  organization_id: string;
  id: string;
  opened_by: string;
  opened_by_email: string;
  /**
   * The login session in which the break-glass session was opened. If the login session ends, so does the break-glass
   * session.
   */
  session_id: string;
  scope_json: string;
  justification: string;
  incident_ref: string | null;
  one_shot: Flag01;
  opened_at: string;
  expires_at: string;
  closed_at: string | null;
  close_reason: string | null;
  uses_count: number;
  reviewed_by: string | null;
  reviewed_by_email: string | null;
  reviewed_at: string | null;
  outcome: string | null;
  review_note: string | null;
  overdue_noticed_at: string | null;
  revision: number;
}

export interface ScheduledChangeTable {
  organization_id: string;
  project_id: string;
  environment_id: string;
  flag_id: string;
  id: string;
  status: string;
  execute_at: string;
  /** The time zone of the user who planned the change, for display only. */
  timezone: string;
  changes_json: string;
  base_revision: number | null;
  on_conflict: string;
  on_freeze: string;
  comment: string | null;
  created_by: string;
  created_by_email: string;
  /** {code, message} of the last failed attempt. */
  error_json: string | null;
  /** When a blocked change is retried. */
  retry_at: string | null;
  executed_at: string | null;
  revision: number;
  created_at: string;
  updated_at: string;
}

/** Which process runs the background jobs. */
export interface LeaseTable {
  name: string;
  /** Random, one per process. */
  holder: string;
  expires_at: string;
}

/** When a nightly job is next due. */
export interface JobRunTable {
  job: string;
  due_at: string;
  /** Null before the first run. */
  last_run_at: string | null;
}

/** For each environment variable with a secret, a keyed hash of the secret, by which a changed secret is detected. */
export interface SecretMarkTable {
  variable: string;
  mark: string;
}

export interface Tables extends PeopleTables, WebhookTables, CodeReferenceTables, ReportTables {
  freeze_windows: FreezeWindowTable;
  break_glass: BreakGlassTable;
  scheduled_changes: ScheduledChangeTable;
  organizations: OrganizationTable;
  projects: ProjectTable;
  environments: EnvironmentTable;
  flags: FlagTable;
  flag_environments: FlagEnvironmentTable;
  flag_revisions: FlagRevisionTable;
  search_documents: SearchDocumentTable;
  reserved_keys: ReservedKeyTable;
  imports: ImportTable;
  segments: SegmentTable;
  api_keys: ApiKeyTable;
  audit_entries: AuditEntryTable;
  rulesets: RulesetTable;
  outbox: OutboxTable;
  idempotency_keys: IdempotencyKeyTable;
  leases: LeaseTable;
  job_runs: JobRunTable;
  schema_changes: SchemaChangeTable;
  mail_queue: MailQueueTable;
  secret_marks: SecretMarkTable;
}
