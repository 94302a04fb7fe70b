/** Webhooks, their messages and delivery attempts. */
export const webhooks: readonly string[] = [
  `create table webhooks (
    organization_id text not null references organizations(id), id text primary key,
    project_id text references projects(id) on delete cascade, url text not null, description text not null,
    events_json text not null, environment_ids_json text not null, tags_json text not null,
    headers_sealed text not null, payload text not null check (payload in ('full', 'thin')),
    signing text not null check (signing in ('hmac', 'ed25519')), secret_sealed text not null, public_key text,
    previous_secret_sealed text, previous_expires_at text, enabled integer not null check (enabled in (0, 1)),
    disabled_reason text, failing_since text, last_success_at text, created_by text, revision integer not null,
    created_at text not null, updated_at text not null
  ) strict`,
  `create index webhooks_by_organization on webhooks (organization_id, id)`,
  `create table webhook_messages (
    organization_id text not null, webhook_id text not null references webhooks(id) on delete cascade,
    id text primary key, type text not null, body text not null,
    status text not null check (status in ('pending', 'succeeded', 'failed', 'exhausted', 'cancelled')),
    attempts integer not null, next_attempt_at text, once integer not null check (once in (0, 1)),
    created_at text not null
  ) strict`,
  `create index webhook_messages_due on webhook_messages (next_attempt_at) where status = 'pending'`,
  `create index webhook_messages_by_webhook on webhook_messages (webhook_id, id)`,
  `create index webhook_messages_by_age on webhook_messages (created_at)`,
  `create table webhook_attempts (
    organization_id text not null, webhook_id text not null,
    message_id text not null references webhook_messages(id) on delete cascade, id text primary key,
    type text not null, attempt integer not null, succeeded integer not null check (succeeded in (0, 1)),
    status_code integer, fault text, response_excerpt text, duration_ms integer not null, created_at text not null
  ) strict`,
  `create index webhook_attempts_by_webhook on webhook_attempts (webhook_id, id)`,
  `create index webhook_attempts_by_message on webhook_attempts (message_id, id)`,
  `create index outbox_by_age on outbox (delivered_at) where delivered_at is not null`,
];
