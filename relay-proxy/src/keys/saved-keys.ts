import { createHash } from 'node:crypto';
import type { KeyGrant, KeyKind } from '@flagsvc/reference-server/data-plane';

/** A key that the server has confirmed. */
export interface KnownKey {
  readonly grant: KeyGrant;
  /** ISO 8601 UTC; null: never. */
  readonly expiresAt: string | null;
  /** When the server confirmed it, in milliseconds since 1970. */
  readonly confirmedAt: number;
}

/** SHA-256 of a key, by which it is found on disk. Keys are long and random, so the hash reveals nothing. */
export function hashOf(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** Parses the file of known keys; leaves out what is damaged. A clock that was ahead must not lengthen the trust in a key. */
export function parseSavedKeys(saved: unknown, now: number): Map<string, KnownKey> {
  const { keys } = Object(saved) as { readonly keys?: unknown };
  const found = new Map<string, KnownKey>();
  for (const [hash, value] of Object.entries(Object(keys) as Record<string, unknown>)) {
    const known = Object(value) as Partial<KnownKey>;
    if (isGrant(known.grant) && typeof known.confirmedAt === 'number') {
      found.set(hash, {
        grant: known.grant,
        expiresAt: typeof known.expiresAt === 'string' ? known.expiresAt : null,
        confirmedAt: Math.min(known.confirmedAt, now),
      });
    }
  }
  return found;
}

function isGrant(value: unknown): value is KeyGrant {
  const grant = Object(value) as Partial<KeyGrant>;
  const kinds: readonly (KeyKind | undefined)[] = ['server', 'client', 'relay'];
  return (
    kinds.includes(grant.kind) &&
    [grant.keyId, grant.environmentId, grant.projectId, grant.organizationId].every(
      (id) => typeof id === 'string',
    )
  );
}
