/** Projects with their environments, flags, segments, keys and rulesets. */
export const projects: readonly string[] = [
  `create table projects (
    organization_id text not null references organizations(id), id text primary key, key text not null,
    name text not null, description text not null, settings_json text not null, tags_json text not null,
    default_environment_id text, revision integer not null, created_at text not null, updated_at text not null,
    archived_at text, unique (organization_id, key)
  )`,
  `create table project_roles (
    organization_id text not null references organizations(id),
    project_id text not null references projects(id) on delete cascade,
    user_id text not null references users(id), role text not null check (role in ('admin', 'editor', 'viewer')),
    created_at text not null, primary key (user_id, project_id)
  )`,
  `create table environments (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    id text primary key, key text not null, name text not null,
    type text not null check (type in ('development', 'staging', 'production')), color text not null,
    position integer not null, critical integer not null, require_comment integer not null,
    confirm_changes integer not null, revision integer not null, created_at text not null,
    updated_at text not null, record_contexts integer not null default 0, unique (project_id, key)
  )`,
  `create table flags (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    id text primary key, key text not null, name text not null, description text not null,
    flag_type text not null check (flag_type in ('boolean', 'string', 'number', 'json')),
    status text not null check (status in ('draft', 'active', 'stale', 'archived', 'deleted')),
    variations_json text not null, tags_json text not null, classification text, client_side integer not null,
    permanent integer not null, owner_id text, expected_end_at text, revision integer not null,
    created_at text not null, updated_at text not null, archived_at text, stale_since text,
    stale_reasons_json text not null default '[]', stale_after_days integer, stale_snoozed_until text,
    track_exposures integer not null default 0, unique (project_id, key)
  )`,
  `create index flags_by_creation on flags (project_id, created_at, id)`,
  `create index flags_by_name on flags (project_id, lower(name), id)`,
  `create index flags_by_status on flags (project_id, status, organization_id, id, name, key)`,
  `create table flag_environments (
    organization_id text not null references organizations(id),
    flag_id text not null references flags(id) on delete cascade,
    environment_id text not null references environments(id) on delete cascade,
    enabled integer not null check (enabled in (0, 1)), default_variation text not null, rules_json text not null,
    prerequisites_json text not null, revision integer not null, updated_at text not null, last_evaluated_at text,
    primary key (environment_id, flag_id)
  )`,
  `create index flag_environments_by_flag on flag_environments (flag_id)`,
  `create table segments (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    id text primary key, key text not null, name text not null, description text not null,
    conditions_json text not null, tags_json text not null, revision integer not null, created_at text not null,
    updated_at text not null, included_json text, excluded_json text not null default '[]',
    unique (project_id, key)
  )`,
  `create table api_keys (
    organization_id text not null references organizations(id), project_id text not null references projects(id),
    environment_id text not null references environments(id) on delete cascade, id text primary key,
    name text not null, kind text not null check (kind in ('server', 'client', 'relay')),
    hash text not null unique, prefix text not null, last_four text not null, allowed_origins_json text not null,
    allowed_ips_json text not null, created_by text, revision integer not null, created_at text not null,
    expires_at text, last_used_at text, revoked_at text, previous_hash text, previous_expires_at text,
    noticed_expiry text
  )`,
  `create index api_keys_by_environment on api_keys (environment_id)`,
  `create unique index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null`,
  `create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null`,
  `create table rulesets (
    organization_id text not null references organizations(id),
    environment_id text primary key references environments(id) on delete cascade, epoch text not null,
    version integer not null, etag text, updated_at text not null
  )`,
  `create table flag_revisions (
    organization_id text not null, seq integer generated always as identity primary key,
    flag_id text not null references flags(id) on delete cascade, environment_id text not null,
    revision integer not null, audit_id text, created_at text not null, content_json text not null
  )`,
  `create index flag_revisions_by_flag on flag_revisions (flag_id, environment_id, seq)`,
  `create index flag_revisions_unlinked on flag_revisions (seq) where audit_id is null`,
  `create table search_documents (
    organization_id text not null, doc integer generated always as identity primary key, project_id text not null,
    type text not null, id text not null unique, key text not null, name text not null, description text not null
  )`,
  `create table reserved_keys (
    organization_id text not null, project_id text not null references projects(id) on delete cascade,
    key text not null, flag_id text not null, reserved_at text not null, reserved_until text not null,
    primary key (project_id, key)
  )`,
  `create table imports (
    organization_id text not null, project_id text not null references projects(id) on delete cascade,
    id text primary key, format text not null, mode text not null,
    status text not null check (status in ('planned', 'applied', 'failed')), document_json text not null,
    plan_json text not null, fingerprint text not null, error_json text, created_by text,
    created_at text not null, finished_at text
  )`,
  `create index imports_by_project on imports (project_id, id)`,
  `create table recorded_contexts (
    organization_id text not null references organizations(id),
    environment_id text not null references environments(id) on delete cascade, digest text not null,
    rank real not null, recorded_at text not null, context_json text not null,
    primary key (environment_id, digest)
  )`,
];
