import { createHmac } from 'node:crypto';
import type { KeyGrant, KeyKind, KeyState, RulesetLookup } from '../data-plane/ports.ts';
import type { KeyRateLimits } from '../http/rate-limits.ts';
import { hasKeyForm } from './key-format.ts';

/** An API key as the database stores it. */
export interface StoredKey {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly environmentId: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** ISO 8601 UTC; null: never. For the old secret of a rotated key, the end of its grace period. */
  readonly expiresAt: string | null;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly allowedIps?: readonly string[] | undefined;
  readonly rateLimits?: KeyRateLimits | undefined;
}

/** The last use of a key, to be recorded. */
export interface KeyUse {
  readonly keyId: string;
  readonly lastUsedAt: string;
}

/** Where API keys are looked up. */
export interface KeySource {
  /** Finds a key by `hashApiKey`. Undefined when the key is unknown or revoked, or its project is archived. */
  findByHash(hash: string): Promise<StoredKey | undefined>;
  /** Whether any secret of the key is valid at that time. */
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
  /** Called when the last uses of keys could not be written. */
  readonly onError: (error: unknown) => void;
}

/** Authenticates API keys from memory; queries the source once per key. */
export interface KeyRing {
  readonly authenticate: RulesetLookup['authenticate'];
  /** The grant of a valid key, if the key is in memory; never queries. */
  recall(apiKey: string): KeyGrant | undefined;
  /** The key and when it ends, even if that time has passed; undefined when it is unknown or revoked. */
  describe(apiKey: string): Promise<KeyState | undefined>;
  /**
   * Drops one key by its id, or all. The result of a look-up in progress is not kept either. Returns the environment of
   * the one key, if it was in memory.
   */
  forget(keyId?: string): string | undefined;
  /** Writes the last uses that have not been written yet. */
  close(): Promise<void>;
}

/** `HMAC-SHA256(FLAGSVC_API_SECRET_KEY, key)` in lower-case hexadecimal, the only trace of a key in the database. */
export function hashApiKey(apiSecretKey: string, apiKey: string): string {
  return createHmac('sha256', apiSecretKey).update(apiKey).digest('hex');
}

/**
 * Maximum number of keys in memory. Known and unknown keys are counted separately, so guessing cannot displace a known
 * key.
 */
const KEYS_MAX = 10_000;
/** `last_used_at` is at most this far behind, and is written at most once in this time. */
const TOUCH_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 1_000;

interface CachedKey {
  readonly grant: KeyGrant;
  readonly expiresAt: string | null;
  readonly expiresAtMs: number;
  touchedAtMs: number;
}

export function createKeyRing({ source, apiSecretKey, now, onError }: KeyRingOptions): KeyRing {
  const known = new Map<string, CachedKey>();
  const unknown = new Set<string>();
  const pending = new Map<string, Promise<CachedKey | undefined>>();
  const uses = new Map<string, KeyUse>();
  let timer: NodeJS.Timeout | undefined;
  /** Counts calls of `forget`. */
  let generation = 0;

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const batch = [...uses.values()];
    uses.clear();
    if (batch.length > 0) await source.touch(batch).catch(onError);
  };

  const use = (key: CachedKey): KeyGrant | undefined => {
    const time = now();
    if (time >= key.expiresAtMs) return undefined;
    if (time - key.touchedAtMs >= TOUCH_INTERVAL_MS) {
      key.touchedAtMs = time;
      uses.set(key.grant.keyId, { keyId: key.grant.keyId, lastUsedAt: new Date(time).toISOString() });
      timer ??= setTimeout(flush, FLUSH_DELAY_MS).unref();
    }
    return key.grant;
  };

  const query = async (apiKey: string): Promise<CachedKey | undefined> => {
    const before = generation;
    const stored = await source.findByHash(hashApiKey(apiSecretKey, apiKey));
    // A key that was revoked during the look-up must not be kept.
    const isCurrent = before === generation;
    if (stored === undefined) {
      if (unknown.size >= KEYS_MAX) unknown.clear();
      if (isCurrent) unknown.add(apiKey);
      return undefined;
    }
    const { expiresAt, ...grant } = stored;
    const key: CachedKey = {
      grant,
      expiresAt,
      expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
      touchedAtMs: Number.NEGATIVE_INFINITY,
    };
    if (isCurrent) {
      if (known.size >= KEYS_MAX) known.delete(known.keys().next().value!);
      known.set(apiKey, key);
    }
    return key;
  };

  /** Joins a look-up of the same key. */
  const find = (apiKey: string, beforeQuery?: () => void): Promise<CachedKey | undefined> => {
    const inProgress = pending.get(apiKey);
    if (inProgress !== undefined) return inProgress;
    beforeQuery?.();
    const found = query(apiKey).finally(() => {
      if (pending.get(apiKey) === found) pending.delete(apiKey);
    });
    pending.set(apiKey, found);
    return found;
  };

  const isRefused = (apiKey: string): boolean => unknown.has(apiKey) || !hasKeyForm(apiKey);

  const recall: KeyRing['recall'] = (apiKey) => {
    const key = known.get(apiKey);
    return key === undefined ? undefined : use(key);
  };

  return {
    recall,
    authenticate(apiKey, beforeQuery) {
      if (known.has(apiKey)) return recall(apiKey);
      if (isRefused(apiKey)) return undefined;
      return find(apiKey, beforeQuery).then((key) => key && use(key));
    },
    async describe(apiKey) {
      const key = known.get(apiKey) ?? (isRefused(apiKey) ? undefined : await find(apiKey));
      if (key === undefined) return undefined;
      const isUsable = use(key) !== undefined;
      return { grant: key.grant, expiresAt: key.expiresAt, isUsable };
    },
    forget(keyId) {
      let environmentId: string | undefined;
      generation += 1;
      pending.clear();
      unknown.clear();
      for (const [text, { grant }] of known) {
        if (keyId !== undefined && grant.keyId !== keyId) continue;
        known.delete(text);
        if (keyId !== undefined) environmentId = grant.environmentId;
      }
      return environmentId;
    },
    close: flush,
  };
}
