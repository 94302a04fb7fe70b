/** The tables of the control plane. Released migrations are never edited; each change is a new file. */
export const controlPlane: readonly string[] = [
  `create table organizations (
    id text primary key, name text not null, slug text not null unique, plan text not null, status text not null,
    settings_json text not null, revision integer not null, created_at text not null, updated_at text not null
  ) strict`,
  `create table users (
    id text primary key, email text not null, email_folded text not null unique, full_name text,
    password_hash text not null, created_at text not null, last_login_at text, disabled_at text
  ) strict`,
  `create table memberships (
    organization_id text not null references organizations(id), user_id text not null references users(id),
    role text not null check (role in ('admin', 'editor', 'viewer')), source text not null,
    joined_at text not null, primary key (organization_id, user_id)
  ) strict`,
  `create index memberships_by_user on memberships (user_id)`,
  `create table sessions (
    organization_id text not null references organizations(id), id text primary key,
    user_id text not null references users(id), refresh_hash text not null unique, created_at text not null,
    expires_at text not null, revoked_at text, ip text, user_agent text
  ) strict`,
  `create index sessions_by_user on sessions (user_id)`,
  `create table projects (
    organization_id text not null references organizations(id), id text primary key, key text not null,
    name text not null, description text not null, settings_json text not null, tags_json text not null,
    default_environment_id text, revision integer not null, created_at text not null, updated_at text not null,
    archived_at text, unique (organization_id, key)
  ) strict`,
  `create table environments (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    id text primary key, key text not null, name text not null,
    type text not null check (type in ('development', 'staging', 'production')), color text not null,
    position integer not null, critical integer not null, require_comment integer not null,
    confirm_changes integer not null, revision integer not null, created_at text not null,
    updated_at text not null, unique (project_id, key)
  ) strict`,
  `create table flags (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    id text primary key, key text not null, name text not null, description text not null,
    flag_type text not null check (flag_type in ('boolean', 'string', 'number', 'json')),
    status text not null check (status in ('draft', 'active', 'stale', 'archived', 'deleted')),
    variations_json text not null, tags_json text not null, classification text, client_side integer not null,
    permanent integer not null, owner_id text, expected_end_at text, revision integer not null,
    created_at text not null, updated_at text not null, archived_at text, unique (project_id, key)
  ) strict`,
  `create table flag_environments (
    organization_id text not null references organizations(id),
    flag_id text not null references flags(id) on delete cascade,
    environment_id text not null references environments(id) on delete cascade,
    enabled integer not null check (enabled in (0, 1)), default_variation text not null, rules_json text not null,
    prerequisites_json text not null, revision integer not null, updated_at text not null, last_evaluated_at text,
    primary key (environment_id, flag_id)
  ) strict, without rowid`,
  `create index flag_environments_by_flag on flag_environments (flag_id)`,
  `create table segments (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    id text primary key, key text not null, name text not null, description text not null,
    conditions_json text not null, tags_json text not null, revision integer not null, created_at text not null, updated_at text not null,
    unique (project_id, key)
  ) strict`,
  `create table api_keys (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    environment_id text not null references environments(id) on delete cascade, id text primary key,
    name text not null, kind text not null check (kind in ('server', 'client', 'relay')),
    hash text not null unique, prefix text not null, last_four text not null, allowed_origins_json text not null,
    allowed_ips_json text not null, created_by text, revision integer not null, created_at text not null,
    expires_at text, last_used_at text, revoked_at text
  ) strict`,
  `create index api_keys_by_environment on api_keys (environment_id)`,
  // No foreign keys: an entry outlives the resource that it is about.
  `create table audit_entries (
    organization_id text not null, id text primary key, action text not null, actor_kind text not null,
    actor_id text, actor_email text, resource_type text not null, resource_id text not null, resource_key text,
    project_id text, environment_id text, project_wide integer not null, changes_json text not null,
    comment text, via text not null, request_id text, ip text, user_agent text,
    created_at text not null
  ) strict`,
  `create index audit_entries_by_resource on audit_entries (organization_id, resource_id, id)`,
  `create table rulesets (
    organization_id text not null references organizations(id),
    environment_id text primary key references environments(id) on delete cascade,
    epoch text not null, version integer not null, etag text, updated_at text not null
  ) strict`,
  `create table outbox (
    seq integer primary key autoincrement, organization_id text not null, topic text not null,
    payload_json text not null, created_at text not null, delivered_at text
  ) strict`,
  `create index outbox_undelivered on outbox (seq) where delivered_at is null`,
  `create table idempotency_keys (
    organization_id text not null, key text not null, method text not null, path text not null,
    body_hash text not null, answer_json text not null, created_at text not null,
    primary key (organization_id, key)
  ) strict, without rowid`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,
];
