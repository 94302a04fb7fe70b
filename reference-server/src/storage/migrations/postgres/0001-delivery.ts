/** Events from SDKs, webhooks and code references. */
export const delivery: readonly string[] = [
  `create table event_batches (
    organization_id text not null, environment_id text not null, batch_id text not null,
    receipt_json text not null, received_at text not null, primary key (environment_id, batch_id)
  )`,
  `create table counters_hourly (
    organization_id text not null, environment_id text not null, hour text not null, flag_key text not null,
    variation_key text not null, reason text not null, rule_id text not null, count integer not null,
    primary key (environment_id, hour, flag_key, variation_key, reason, rule_id)
  )`,
  `create index counters_hourly_by_flag on counters_hourly (environment_id, flag_key, hour)`,
  `create table exposures (
    organization_id text not null, environment_id text not null, id text not null, timestamp text not null,
    flag_key text not null, variation_key text, reason text not null, rule_id text, user_key text not null,
    ruleset_version integer, user_key_hashed integer not null default 0, experiment_key text,
    primary key (environment_id, id)
  )`,
  `create table track_events (
    organization_id text not null, environment_id text not null, id text not null, timestamp text not null,
    event_name text not null, user_key text not null, value real, properties_json text not null,
    user_key_hashed integer not null default 0, primary key (environment_id, id)
  )`,
  `create table webhooks (
    organization_id text not null references organizations(id), id text primary key,
    project_id text references projects(id) on delete cascade, url text not null, description text not null,
    events_json text not null, environment_ids_json text not null, tags_json text not null,
    headers_sealed text not null, payload text not null check (payload in ('full', 'thin')),
    signing text not null check (signing in ('hmac', 'ed25519')), secret_sealed text not null, public_key text,
    previous_secret_sealed text, previous_expires_at text, enabled integer not null check (enabled in (0, 1)),
    disabled_reason text, failing_since text, last_success_at text, created_by text, revision integer not null,
    created_at text not null, updated_at text not null
  )`,
  `create index webhooks_by_organization on webhooks (organization_id, id)`,
  `create table webhook_messages (
    organization_id text not null, webhook_id text not null references webhooks(id) on delete cascade,
    id text primary key, type text not null, body text not null,
    status text not null check (status in ('pending', 'succeeded', 'failed', 'exhausted', 'cancelled')),
    attempts integer not null, next_attempt_at text, once integer not null check (once in (0, 1)),
    created_at text not null
  )`,
  `create index webhook_messages_due on webhook_messages (next_attempt_at) where status = 'pending'`,
  `create index webhook_messages_by_webhook on webhook_messages (webhook_id, id)`,
  `create index webhook_messages_by_age on webhook_messages (created_at)`,
  `create table webhook_attempts (
    organization_id text not null, webhook_id text not null,
    message_id text not null references webhook_messages(id) on delete cascade, id text primary key,
    type text not null, attempt integer not null, succeeded integer not null check (succeeded in (0, 1)),
    status_code integer, fault text, response_excerpt text, duration_ms integer not null, created_at text not null
  )`,
  `create index webhook_attempts_by_webhook on webhook_attempts (webhook_id, id)`,
  `create index webhook_attempts_by_message on webhook_attempts (message_id, id)`,
  `create table code_snapshots (
    organization_id text not null references organizations(id),
    project_id text not null references projects(id) on delete cascade, id text primary key,
    repository text not null, branch text not null, revision text not null, url_template text,
    references_count integer not null, flags_count integer not null, created_by text, created_at text not null,
    updated_at text not null, unique (project_id, repository, branch)
  )`,
  `create table code_references (
    organization_id text not null, project_id text not null,
    snapshot_id text not null references code_snapshots(id) on delete cascade, flag_key text not null,
    path text not null, line integer not null, "column" integer not null, context_hash text,
    primary key (snapshot_id, flag_key, path, line, "column")
  )`,
  `create index code_references_by_flag on code_references (project_id, flag_key)`,
  `create table code_reference_ends (
    organization_id text not null, project_id text not null references projects(id) on delete cascade,
    flag_key text not null, ended_at text not null, primary key (project_id, flag_key)
  )`,
];
