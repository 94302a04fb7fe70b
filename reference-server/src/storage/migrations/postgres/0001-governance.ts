/** The audit log, the outbox, leases, freeze windows, break-glass sessions and scheduled changes. */
export const governance: readonly string[] = [
  `create table audit_entries (
    organization_id text not null, id text primary key, action text not null, actor_kind text not null,
    actor_id text, actor_email text, resource_type text not null, resource_id text not null, resource_key text,
    project_id text, environment_id text, project_wide integer not null, changes_json text not null, comment text,
    via text not null, request_id text, ip text, user_agent text, created_at text not null, break_glass_id text,
    change_request_id text, revision integer
  )`,
  `create index audit_entries_by_resource on audit_entries (organization_id, resource_id, id)`,
  `create index audit_entries_by_organization on audit_entries (organization_id, id)`,
  `create index audit_entries_by_break_glass on audit_entries (break_glass_id) where break_glass_id is not null`,
  `create table outbox (
    seq integer generated always as identity primary key, organization_id text not null, topic text not null,
    payload_json text not null, created_at text not null, delivered_at text
  )`,
  `create index outbox_undelivered on outbox (seq) where delivered_at is null`,
  `create index outbox_by_age on outbox (delivered_at) where delivered_at is not null`,
  `create table idempotency_keys (
    organization_id text not null, key text not null, method text not null, path text not null,
    body_hash text not null, answer_json text not null, created_at text not null,
    primary key (organization_id, key)
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,
  `create table leases (
    name text primary key, holder text not null, expires_at text not null
  )`,
  `create table freeze_windows (
    organization_id text not null references organizations(id), id text primary key, name text not null,
    reason text not null, scope_json text not null, starts_at text not null, ends_at text, recurrence_json text,
    last_start_at text, final_end_at text, blocked_actions_json text not null, allow_json text not null,
    notify_before_minutes integer not null, noticed_at text, created_by text, revision integer not null,
    created_at text not null, updated_at text not null, ended_at text, ended_by text, cancelled_at text
  )`,
  `create index freeze_windows_by_organization on freeze_windows (organization_id, starts_at)`,
  `create table break_glass (
    organization_id text not null references organizations(id), id text primary key, opened_by text not null,
    opened_by_email text not null, session_id text not null, scope_json text not null,
    justification text not null, incident_ref text, one_shot integer not null check (one_shot in (0, 1)),
    opened_at text not null, expires_at text not null, closed_at text, close_reason text,
    uses_count integer not null, reviewed_by text, reviewed_by_email text, reviewed_at text,
    outcome text check (outcome in ('justified', 'not_justified')), review_note text, overdue_noticed_at text,
    revision integer not null
  )`,
  `create index break_glass_by_organization on break_glass (organization_id, id)`,
  `create index break_glass_by_session on break_glass (session_id) where closed_at is null`,
  `create table scheduled_changes (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    environment_id text not null references environments(id) on delete cascade,
    flag_id text not null references flags(id) on delete cascade, id text primary key,
    status text not null check (status in ('pending', 'blocked', 'executed', 'failed', 'conflicted', 'cancelled')),
    execute_at text not null, timezone text not null, changes_json text not null, base_revision integer,
    on_conflict text not null check (on_conflict in ('fail', 'rebase', 'force')),
    on_freeze text not null check (on_freeze in ('defer', 'fail')), comment text, created_by text not null,
    created_by_email text not null, error_json text, retry_at text, executed_at text, revision integer not null,
    created_at text not null, updated_at text not null
  )`,
  `create index scheduled_changes_due on scheduled_changes (execute_at, id) where status in ('pending', 'blocked')`,
  `create index scheduled_changes_by_flag on scheduled_changes (flag_id, execute_at)`,
];
