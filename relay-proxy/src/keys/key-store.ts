import {
  ApiError,
  hasKeyForm,
  type KeyGrant,
  type KeyWatcher,
  type RulesetLookup,
} from '@flagsvc/reference-server/data-plane';
import { type Clock, within } from '@flagsvc/sdk-core/client';
import { type JsonFile, SAVE_LIMIT_MS } from '../platform/json-file.ts';
import type { Described, KeyAnswer } from './describe-keys.ts';
import { createKeyInquiry, KEYS_PER_REQUEST } from './key-inquiry.ts';
import { hashOf, type KnownKey, parseSavedKeys } from './saved-keys.ts';

/** Answers questions about the keys of one environment. */
export interface KeyAuthority {
  /** Undefined until the server has answered once. */
  environmentId(): string | undefined;
  readonly describe: (keys: readonly string[]) => Promise<Described>;
}

export interface KeyStoreOptions {
  readonly authorities: readonly KeyAuthority[];
  readonly file: JsonFile;
  /** How long a key works after the server confirmed it last. */
  readonly trustMs: number;
  readonly clock: Clock;
  /** Called when the server refuses a key that worked. */
  readonly onEnded: (grant: KeyGrant, status: 'rotated' | 'invalid') => void;
}

/** The API keys that clients of the relay use. */
export interface KeyStore
  extends Required<Pick<RulesetLookup, 'authenticate' | 'recall' | 'watchKeys' | 'isRotated'>> {
  /** Reads the known keys from disk. */
  load(): Promise<void>;
  /** Asks again about all keys of the authority that were used recently. Never rejects. */
  recheck(authority: KeyAuthority): Promise<void>;
}

interface UsedKey extends KnownKey {
  readonly authority: KeyAuthority;
  usedAt: number;
}

const KEYS_MAX = 10_000;
/** A refused key may have been created a moment later. */
const REFUSED_MS = 10_000;

export function createKeyStore(options: KeyStoreOptions): KeyStore {
  const { authorities, file, trustMs, clock, onEnded } = options;
  /** Keys that were used since the start, by their text. */
  const used = new Map<string, UsedKey>();
  /** All known keys by hash, as on disk. */
  let known = new Map<string, KnownKey>();
  const refused = new Map<string, number>();
  const rotated = new Set<string>();
  const watchers = new Set<KeyWatcher>();
  const inquiries = authorities.map((authority) => ({
    authority,
    inquiry: createKeyInquiry({ describe: authority.describe, clock }),
  }));

  const save = (): void => file.write({ keys: Object.fromEntries(known) });

  const isTrusted = ({ confirmedAt }: KnownKey): boolean => clock.now() - confirmedAt <= trustMs;

  /** The grant; undefined once the key has expired. */
  const use = (key: UsedKey): KeyGrant | undefined => {
    const now = clock.now();
    key.usedAt = now;
    return key.expiresAt !== null && now >= Date.parse(key.expiresAt) ? undefined : key.grant;
  };

  const remember = (apiKey: string, authority: KeyAuthority, key: KnownKey): UsedKey => {
    const entry: UsedKey = { ...key, authority, usedAt: clock.now() };
    used.delete(apiKey);
    if (used.size >= KEYS_MAX) used.delete(used.keys().next().value!);
    used.set(apiKey, entry);
    known.set(hashOf(apiKey), key);
    if (known.size > KEYS_MAX) known.delete(known.keys().next().value!);
    return entry;
  };

  const end = (apiKey: string, { grant }: KnownKey, status: 'rotated' | 'invalid'): void => {
    used.delete(apiKey);
    known.delete(hashOf(apiKey));
    if (status === 'rotated') rotated.add(grant.keyId);
    else rotated.delete(grant.keyId);
    onEnded(grant, status);
    for (const watcher of watchers) watcher(grant.keyId, grant.environmentId);
  };

  const askAll = async (apiKey: string): Promise<KeyGrant | undefined> => {
    const answers = await Promise.all(
      inquiries.map(async ({ authority, inquiry }) => ({ authority, answer: await inquiry.ask(apiKey) })),
    );
    for (const { authority, answer } of answers) {
      if (answer?.status !== 'active') continue;
      const { grant, expiresAt } = answer;
      const key = remember(apiKey, authority, { grant, expiresAt, confirmedAt: clock.now() });
      save();
      // A relay that ends right after its first answer to a key still knows it.
      await within({ clock }, SAVE_LIMIT_MS, file.settled());
      return use(key);
    }
    // Only the answers of all environments together say that a key is unknown.
    if (answers.some(({ answer }) => answer === undefined)) throw unknownState();
    const before = used.get(apiKey);
    if (before !== undefined) {
      const isRotated = answers.some(({ answer }) => answer?.status === 'rotated');
      end(apiKey, before, isRotated ? 'rotated' : 'invalid');
      save();
    }
    if (refused.size >= KEYS_MAX) refused.clear();
    refused.set(apiKey, clock.monotonic() + REFUSED_MS);
    return undefined;
  };

  const isRefused = (apiKey: string): boolean => (refused.get(apiKey) ?? 0) > clock.monotonic();

  /** A key that was confirmed before the relay started: it works at once, while the relay asks the server. */
  const wake = (apiKey: string): UsedKey | undefined => {
    const saved = known.get(hashOf(apiKey));
    if (saved === undefined || !isTrusted(saved)) return undefined;
    const of = inquiries.find(({ authority }) => authority.environmentId() === saved.grant.environmentId);
    if (of === undefined) return undefined;
    void askAgain(apiKey, of);
    return remember(apiKey, of.authority, saved);
  };

  const askAgain = async (
    apiKey: string,
    { authority, inquiry }: (typeof inquiries)[number],
  ): Promise<void> => {
    const answer = await inquiry.ask(apiKey);
    if (answer === undefined) return;
    settle(apiKey, authority, answer);
    save();
  };

  /** Takes over the server's answer about a key in use. */
  const settle = (apiKey: string, authority: KeyAuthority, answer: KeyAnswer): void => {
    const before = used.get(apiKey);
    if (before === undefined) return;
    if (answer.status !== 'active') {
      end(apiKey, before, answer.status);
      return;
    }
    const { grant, expiresAt } = answer;
    // Unchanged grants stay the same object, because restrictions are parsed once for each.
    const isSame = JSON.stringify(grant) === JSON.stringify(before.grant);
    const usedAt = before.usedAt;
    const key = { grant: isSame ? before.grant : grant, expiresAt, confirmedAt: clock.now() };
    remember(apiKey, authority, key).usedAt = usedAt;
    if (!isSame) for (const watcher of watchers) watcher(grant.keyId, grant.environmentId);
  };

  const authenticate: KeyStore['authenticate'] = (apiKey, beforeQuery) => {
    const key = used.get(apiKey);
    if (key !== undefined && isTrusted(key)) return use(key);
    if (!hasKeyForm(apiKey) || isRefused(apiKey)) return undefined;
    const woken = wake(apiKey);
    if (woken !== undefined) return use(woken);
    beforeQuery?.();
    return askAll(apiKey);
  };

  return {
    authenticate,
    recall(apiKey) {
      const key = used.get(apiKey);
      // The route answers keys whose state is unknown.
      return key === undefined || !isTrusted(key) ? undefined : use(key);
    },
    watchKeys(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    isRotated: ({ keyId }) => rotated.has(keyId),
    async load() {
      known = parseSavedKeys(await file.read(), clock.now());
    },
    async recheck(authority) {
      // Refused keys may have been created meanwhile.
      refused.clear();
      const recently = clock.now() - trustMs;
      const keys = [...used].filter(([, key]) => key.authority === authority && key.usedAt >= recently);
      for (let from = 0; from < keys.length; from += KEYS_PER_REQUEST) {
        const part = keys.slice(from, from + KEYS_PER_REQUEST).map(([apiKey]) => apiKey);
        const described = await authority.describe(part);
        if (!('keys' in described)) return;
        for (const [index, apiKey] of part.entries()) settle(apiKey, authority, described.keys[index]!);
      }
      if (keys.length > 0) save();
    },
  };
}

/** Says that the relay does not know whether the key is valid, which is not the client's fault. */
function unknownState(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'The relay cannot ask the server about this API key at the moment; try again.',
    headers: { 'retry-after': '5' },
  });
}
