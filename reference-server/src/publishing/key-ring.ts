import { createHmac } from 'node:crypto';
import type { KeyGrant, KeyKind, RulesetLookup } from '../data-plane/ports.ts';
import { hasKeyForm } from './key-format.ts';

/** What the database knows about one API key, found by its HMAC. */
export interface StoredKey {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly environmentId: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** ISO 8601 UTC, or null: never. Of a key that was rotated, the end of its grace. */
  readonly expiresAt: string | null;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly allowedIps?: readonly string[] | undefined;
}

/** One key's last use, to be written down. */
export interface KeyUse {
  readonly keyId: string;
  readonly lastUsedAt: string;
}

/** Where keys are looked up. */
export interface KeySource {
  /** By `hashApiKey`. Undefined when unknown, revoked, or of a project that is gone. */
  findByHash(hash: string): Promise<StoredKey | undefined>;
  /** Whether the key opens something at that time, by whatever secret. */
  isLive(keyId: string, at: string): Promise<boolean>;
  /** Sets `last_used_at` of several keys. */
  touch(uses: readonly KeyUse[]): Promise<void>;
}

export interface KeyRingOptions {
  readonly source: KeySource;
  /** `FLAGSVC_API_SECRET_KEY`. */
  readonly apiSecretKey: string;
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Hears what went wrong while last uses were written. */
  readonly onError: (error: unknown) => void;
}

/** Knows API keys from memory; asks the source once per key. */
export interface KeyRing {
  readonly authenticate: RulesetLookup['authenticate'];
  /** A key that is in memory and good; asks nobody. */
  recall(apiKey: string): KeyGrant | undefined;
  /** Forgets one key by its id, or all: what is in flight is not remembered either. */
  forget(keyId?: string): void;
  /** Writes the outstanding last uses. */
  close(): Promise<void>;
}

/** `HMAC-SHA256(FLAGSVC_API_SECRET_KEY, key)` in lower-case hexadecimal: all that is stored of a key. */
export function hashApiKey(apiSecretKey: string, apiKey: string): string {
  return createHmac('sha256', apiSecretKey).update(apiKey).digest('hex');
}

/** Keys in memory, known and unknown apart, so that guessing cannot push a known one out. */
const REMEMBERED_MAX = 10_000;
/** `last_used_at` is at most this much behind, and is written no more often. */
const TOUCH_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 1_000;

interface Remembered {
  readonly grant: KeyGrant;
  readonly expiresAtMs: number;
  touchedAtMs: number;
}

export function createKeyRing({ source, apiSecretKey, now, onError }: KeyRingOptions): KeyRing {
  const known = new Map<string, Remembered>();
  const unknown = new Set<string>();
  const pending = new Map<string, Promise<KeyGrant | undefined>>();
  const uses = new Map<string, KeyUse>();
  let timer: NodeJS.Timeout | undefined;
  let forgotten = 0;

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const batch = [...uses.values()];
    uses.clear();
    if (batch.length > 0) await source.touch(batch).catch(onError);
  };

  const use = (key: Remembered): KeyGrant | undefined => {
    const time = now();
    if (time >= key.expiresAtMs) return undefined;
    if (time - key.touchedAtMs >= TOUCH_INTERVAL_MS) {
      key.touchedAtMs = time;
      uses.set(key.grant.keyId, { keyId: key.grant.keyId, lastUsedAt: new Date(time).toISOString() });
      timer ??= setTimeout(flush, FLUSH_DELAY_MS).unref();
    }
    return key.grant;
  };

  const find = async (apiKey: string): Promise<KeyGrant | undefined> => {
    const before = forgotten;
    const stored = await source.findByHash(hashApiKey(apiSecretKey, apiKey));
    // A key that is revoked while it is being looked up must not be remembered.
    const isCurrent = before === forgotten;
    if (stored === undefined) {
      if (unknown.size >= REMEMBERED_MAX) unknown.clear();
      if (isCurrent) unknown.add(apiKey);
      return undefined;
    }
    const { expiresAt, ...grant } = stored;
    const key: Remembered = {
      grant,
      expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
      touchedAtMs: Number.NEGATIVE_INFINITY,
    };
    if (isCurrent) {
      if (known.size >= REMEMBERED_MAX) known.delete(known.keys().next().value!);
      known.set(apiKey, key);
    }
    return use(key);
  };

  const recall: KeyRing['recall'] = (apiKey) => {
    const key = known.get(apiKey);
    return key === undefined ? undefined : use(key);
  };

  return {
    recall,
    authenticate(apiKey, beforeQuery) {
      if (known.has(apiKey)) return recall(apiKey);
      if (unknown.has(apiKey) || !hasKeyForm(apiKey)) return undefined;
      const asked = pending.get(apiKey);
      if (asked !== undefined) return asked;
      beforeQuery?.();
      const found = find(apiKey).finally(() => {
        if (pending.get(apiKey) === found) pending.delete(apiKey);
      });
      pending.set(apiKey, found);
      return found;
    },
    forget(keyId) {
      forgotten += 1;
      pending.clear();
      unknown.clear();
      for (const [text, key] of known)
        if (keyId === undefined || key.grant.keyId === keyId) known.delete(text);
    },
    close: flush,
  };
}
