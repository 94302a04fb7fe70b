import type { Changes } from '../api/types.ts';
import type { ApiKey, CreateKeyBody } from './use-api-keys.ts';

export const LIMITS = ['evaluation', 'ruleset', 'events', 'stream'] as const;
export type LimitName = (typeof LIMITS)[number];

/** What a person types for a key. */
export interface KeyDraft {
  readonly environmentId: string;
  readonly name: string;
  readonly kind: ApiKey['kind'];
  readonly origins: readonly string[];
  readonly addresses: readonly string[];
  readonly expiresAt: string | undefined;
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
}

export function emptyKeyDraft(environmentId: string): KeyDraft {
  return {
    environmentId,
    name: '',
    kind: 'server',
    origins: [],
    addresses: [],
    expiresAt: undefined,
    limits: {},
  };
}

export function draftOfKey(key: ApiKey): KeyDraft {
  return {
    environmentId: key.environment_id,
    name: key.name,
    kind: key.kind,
    origins: key.allowed_origins,
    addresses: key.allowed_ips,
    expiresAt: key.expires_at ?? undefined,
    limits: key.rate_limits,
  };
}

/** The body of the API. Only keys of kind client have origins. */
export function bodyOfKey(draft: KeyDraft): Required<Omit<CreateKeyBody, 'comment'>> {
  const { name, kind, origins, addresses, expiresAt, limits } = draft;
  const given = LIMITS.flatMap((limit) => {
    const value = limits[limit];
    return value === undefined || Number.isNaN(value) ? [] : [[limit, value] as const];
  });
  return {
    name: name.trim(),
    kind,
    expires_at: expiresAt ?? null,
    allowed_origins: kind === 'client' ? [...origins] : [],
    allowed_ips: [...addresses],
    rate_limits: Object.fromEntries(given),
  };
}

/** What an edit changes, field by field, by the fields' names in the API. */
export function keyChanges(key: ApiKey, draft: KeyDraft): Changes {
  const before: Readonly<Record<string, unknown>> = bodyOfKey(draftOfKey(key));
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  for (const [field, to] of Object.entries(bodyOfKey(draft)))
    if (JSON.stringify(before[field]) !== JSON.stringify(to)) changes[field] = { from: before[field], to };
  return changes;
}
