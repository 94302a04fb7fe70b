/** Sessions, tokens and invitations of people; freeze windows, break-glass sessions and scheduled changes. */
export const peopleAndGovernance: readonly string[] = [
  // Null in existing sessions; that counts as never.
  `alter table sessions add column authenticated_at text`,
  `alter table sessions add column last_used_at text`,
  `alter table memberships add column environment_ids_json text`,
  `create table project_roles (
    organization_id text not null references organizations(id),
    project_id text not null references projects(id) on delete cascade,
    user_id text not null references users(id), role text not null check (role in ('admin', 'editor', 'viewer')),
    created_at text not null, primary key (user_id, project_id)
  ) strict, without rowid`,
  `create table password_resets (
    user_id text not null references users(id), token_hash text primary key, created_at text not null,
    expires_at text not null
  ) strict, without rowid`,
  `create index password_resets_by_user on password_resets (user_id)`,
  `create table personal_tokens (
    organization_id text not null references organizations(id), id text primary key,
    user_id text not null references users(id), name text not null, hash text not null unique,
    last_four text not null, scopes_json text not null, created_at text not null, expires_at text not null,
    last_used_at text, revoked_at text
  ) strict`,
  `create index personal_tokens_by_user on personal_tokens (user_id)`,
  `create table invitations (
    organization_id text not null references organizations(id), id text primary key, email text not null,
    email_folded text not null, role text not null check (role in ('admin', 'editor', 'viewer')),
    project_roles_json text not null, token_hash text not null unique, invited_by text, created_at text not null,
    expires_at text not null, accepted_at text, revoked_at text
  ) strict`,
  `create index invitations_by_organization on invitations (organization_id, id)`,
  `alter table api_keys add column previous_hash text`,
  `alter table api_keys add column previous_expires_at text`,
  `create unique index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null`,
  `alter table audit_entries add column break_glass_id text`,
  `alter table audit_entries add column change_request_id text`,
  `alter table audit_entries add column revision integer`,
  `create index audit_entries_by_organization on audit_entries (organization_id, id)`,
  `create index audit_entries_by_break_glass on audit_entries (break_glass_id) where break_glass_id is not null`,
  `create table freeze_windows (
    organization_id text not null references organizations(id), id text primary key, name text not null,
    reason text not null, scope_json text not null, starts_at text not null, ends_at text, recurrence_json text,
    last_start_at text, final_end_at text, blocked_actions_json text not null, allow_json text not null,
    notify_before_minutes integer not null, noticed_at text, created_by text, revision integer not null, created_at text not null,
    updated_at text not null, ended_at text, ended_by text, cancelled_at text
  ) strict`,
  `create index freeze_windows_by_organization on freeze_windows (organization_id, starts_at)`,
  `create table break_glass (
    organization_id text not null references organizations(id), id text primary key, opened_by text not null,
    opened_by_email text not null, session_id text not null, scope_json text not null, justification text not null,
    incident_ref text, one_shot integer not null check (one_shot in (0, 1)), opened_at text not null,
    expires_at text not null, closed_at text, close_reason text, uses_count integer not null, reviewed_by text,
    reviewed_by_email text, reviewed_at text, outcome text check (outcome in ('justified', 'not_justified')),
    review_note text, overdue_noticed_at text, revision integer not null
  ) strict`,
  `create index break_glass_by_organization on break_glass (organization_id, id)`,
  `create index break_glass_by_session on break_glass (session_id) where closed_at is null`,
  `create table scheduled_changes (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    environment_id text not null references environments(id) on delete cascade,
    flag_id text not null references flags(id) on delete cascade, id text primary key, status text not null
      check (status in ('pending', 'blocked', 'executed', 'failed', 'conflicted', 'cancelled')),
    execute_at text not null, timezone text not null, changes_json text not null, base_revision integer,
    on_conflict text not null check (on_conflict in ('fail', 'rebase', 'force')),
    on_freeze text not null check (on_freeze in ('defer', 'fail')), comment text, created_by text not null,
    created_by_email text not null, error_json text, retry_at text, executed_at text, revision integer not null, created_at text not null,
    updated_at text not null
  ) strict`,
  `create index scheduled_changes_due on scheduled_changes (execute_at, id) where status in ('pending', 'blocked')`,
  `create index scheduled_changes_by_flag on scheduled_changes (flag_id, execute_at)`,
];
