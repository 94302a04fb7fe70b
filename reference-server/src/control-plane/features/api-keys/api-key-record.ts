import type { KeyKind } from '../../../data-plane/ports.ts';
import type { KeyRateLimits } from '../../../http/rate-limits.ts';
import type { ApiKeyTable } from '../../../storage/tables.ts';

export const KEY_KINDS = ['server', 'client', 'relay'] as const satisfies readonly KeyKind[];

/** An API key as the API returns it. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly environment_id: string;
  /** The key itself; present only in the answer to its creation or rotation. */
  readonly key?: string;
  readonly prefix: string;
  readonly last_four: string;
  /** `rotating`: the previous secret still works. */
  readonly status: 'active' | 'rotating' | 'expired' | 'revoked';
  readonly rotation_ends_at: string | null;
  readonly allowed_origins: readonly string[];
  readonly allowed_ips: readonly string[];
  /** Limits that differ from those of the server. */
  readonly rate_limits: KeyRateLimits;
  readonly created_by: string | null;
  readonly revision: number;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

export function resourceOf(row: ApiKeyTable) {
  return {
    type: 'api_key',
    id: row.id,
    key: row.name,
    projectId: row.project_id,
    environmentId: row.environment_id,
  };
}

/** The fields of the audit entry. */
export function fieldsOf(row: ApiKeyTable) {
  const { name, kind, last_four, expires_at, revoked_at, previous_expires_at } = row;
  return {
    name,
    kind,
    last_four,
    expires_at,
    revoked_at,
    rotation_ends_at: previous_expires_at,
    allowed_origins: JSON.parse(row.allowed_origins_json) as string[],
    allowed_ips: JSON.parse(row.allowed_ips_json) as string[],
    rate_limits: JSON.parse(row.rate_limits_json) as KeyRateLimits,
  };
}

export function toRecord(row: ApiKeyTable, at: string): ApiKeyRecord {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as KeyKind,
    environment_id: row.environment_id,
    prefix: row.prefix,
    last_four: row.last_four,
    status: statusOf(row, at),
    rotation_ends_at: rotationEnd(row, at),
    allowed_origins: JSON.parse(row.allowed_origins_json) as string[],
    allowed_ips: JSON.parse(row.allowed_ips_json) as string[],
    rate_limits: JSON.parse(row.rate_limits_json) as KeyRateLimits,
    created_by: row.created_by,
    revision: row.revision,
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
  };
}

/**
 * When the previous secret stops working: at its own end or at the expiry of the key, whichever comes first. Null if
 * the previous secret no longer works.
 */
export function rotationEnd(row: ApiKeyTable, at: string): string | null {
  const { previous_expires_at: end, expires_at: keyEnd, revoked_at } = row;
  if (!isRotating(row, at) || revoked_at !== null || (keyEnd !== null && keyEnd <= at)) return null;
  return keyEnd !== null && end !== null && keyEnd < end ? keyEnd : end;
}

function statusOf(row: ApiKeyTable, at: string): ApiKeyRecord['status'] {
  if (row.revoked_at !== null) return 'revoked';
  if (row.expires_at !== null && row.expires_at <= at) return 'expired';
  return isRotating(row, at) ? 'rotating' : 'active';
}

function isRotating({ previous_expires_at: end }: ApiKeyTable, at: string): boolean {
  return end !== null && end > at;
}
