import type { Sealer } from '../../../lib/sealed-text.ts';
import { beginningOf } from '../../../lib/text-checks.ts';
import type { WebhookAttemptTable, WebhookTable } from '../../../storage/webhook-tables.ts';
import type { SigningKey } from './delivery/sign-message.ts';
import type { DeliveryRecord, NewWebhook, WebhookRecord } from './webhook-schemas.ts';

/** The row of a new webhook. */
export function newRow(
  input: NewWebhook,
  { key, sealer }: { readonly key: SigningKey; readonly sealer: Sealer },
  of: Pick<WebhookTable, 'organization_id' | 'id' | 'project_id' | 'created_by' | 'created_at'>,
): WebhookTable {
  return {
    ...of,
    url: input.url,
    description: input.description ?? '',
    events_json: JSON.stringify(input.events),
    environment_ids_json: JSON.stringify(input.environment_ids ?? []),
    tags_json: JSON.stringify(input.tags ?? []),
    headers_sealed: sealer.seal(JSON.stringify(input.headers ?? {})),
    payload: input.payload ?? 'full',
    signing: input.signing ?? 'hmac',
    secret_sealed: sealer.seal(key.secret),
    public_key: key.publicKey,
    previous_secret_sealed: null,
    previous_expires_at: null,
    enabled: 1,
    disabled_reason: null,
    failing_since: null,
    last_success_at: null,
    revision: 1,
    updated_at: of.created_at,
  };
}

export function toRecord(row: WebhookTable, sealer: Sealer): WebhookRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events_json) as string[],
    environment_ids: JSON.parse(row.environment_ids_json) as string[],
    tags: JSON.parse(row.tags_json) as string[],
    header_names: headerNames(row, sealer),
    payload: row.payload as WebhookRecord['payload'],
    signing: row.signing as WebhookRecord['signing'],
    public_key: row.public_key,
    status: row.enabled === 1 ? 'enabled' : 'disabled',
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since,
    last_success_at: row.last_success_at,
    previous_secret_expires_at: row.previous_expires_at,
    created_by: row.created_by,
    revision: row.revision,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/**
 * The audited resource. It belongs to no project, so that only admins read its entries: addresses may contain secrets.
 */
export function resourceOf({ id, description }: WebhookTable) {
  return { type: 'webhook', id, key: description === '' ? null : beginningOf(description, 100) };
}

/** The fields of the audit entry: no secrets, and only the origin of the URL, because its path may contain a secret. */
export function fieldsOf(row: WebhookTable, sealer: Sealer) {
  const {
    url,
    failing_since: _,
    last_success_at: __,
    revision: ___,
    updated_at: ____,
    ...rest
  } = toRecord(row, sealer);
  return { ...rest, url: new URL(url).origin };
}

function headerNames(row: WebhookTable, sealer: Sealer): string[] {
  try {
    return Object.keys(JSON.parse(sealer.open(row.headers_sealed)) as object);
  } catch {
    // The headers were sealed under another FLAGSVC_API_SECRET_KEY.
    return [];
  }
}

export function toDelivery(row: WebhookAttemptTable): DeliveryRecord {
  return {
    id: row.id,
    message_id: row.message_id,
    type: row.type,
    attempt: row.attempt,
    status: row.succeeded === 1 ? 'succeeded' : 'failed',
    status_code: row.status_code,
    fault: row.fault,
    response_excerpt: row.response_excerpt,
    duration_ms: row.duration_ms,
    timestamp: row.created_at,
  };
}
