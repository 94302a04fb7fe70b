import { createHmac, hkdfSync } from 'node:crypto';
import type { EvaluationEvent } from '@flagsvc/sdk-core';
import type { KeyStorage } from '../../../lib/key-storages.ts';

/** Base64url characters of a stored key: 132 bits, so that no two keys of an environment are ever equal. */
const LENGTH = 22;
/** Environments whose secret is kept in memory. */
const SECRETS_MAX = 1_000;

/** Turns the keys of users and units into those that are stored. */
export interface StoredKeys {
  user(environmentId: string, key: string, isHashed: boolean): string;
  /** The key of a unit by the attribute `by`. */
  unit(environmentId: string, by: string, key: string): string;
  /** The event with the keys that are stored. */
  prepare(environmentId: string, event: EvaluationEvent): EvaluationEvent;
  /** Every form in which the key of a user may be stored in an environment. */
  formsOf(environmentId: string, userKey: string): readonly string[];
}

export function createStoredKeys({
  apiSecretKey,
  storage,
}: {
  readonly apiSecretKey: string;
  readonly storage: KeyStorage;
}): StoredKeys {
  const secrets = new Map<string, Buffer>();

  function secretOf(environmentId: string): Buffer {
    const known = secrets.get(environmentId);
    if (known !== undefined) return known;
    if (secrets.size >= SECRETS_MAX) secrets.clear();
    const purpose = `flagsvc event keys ${environmentId}`;
    const secret = Buffer.from(hkdfSync('sha256', apiSecretKey, '', purpose, 32));
    secrets.set(environmentId, secret);
    return secret;
  }

  const hash = (environmentId: string, kind: string, key: string): string =>
    createHmac('sha256', secretOf(environmentId))
      .update(`${kind}:${key}`)
      .digest('base64url')
      .slice(0, LENGTH);
  const hashUnit = (environmentId: string, by: string, key: string): string =>
    by === 'user_key' ? hashUser(environmentId, key, false) : hash(environmentId, `unit ${by}`, key);
  /** A key that its sender has hashed never equals a plain one. */
  const hashUser = (environmentId: string, key: string, isHashed: boolean): string =>
    hash(environmentId, isHashed ? 'hashed user' : 'user', key);

  const user: StoredKeys['user'] = (environmentId, key, isHashed) =>
    storage === 'plain' || key === '' ? key : hashUser(environmentId, key, isHashed);
  const unit: StoredKeys['unit'] = (environmentId, by, key) =>
    storage === 'plain' ? key : hashUnit(environmentId, by, key);

  return {
    user,
    unit,

    prepare(environmentId, event) {
      if (storage === 'plain' || (event.type !== 'exposure' && event.type !== 'track')) return event;
      const isHashed = event.user_key_hashed === true;
      const own = event.user_key ? { user_key: user(environmentId, event.user_key, isHashed) } : {};
      if (event.type === 'exposure') {
        if (!event.unit) return { ...event, ...own };
        const { by, key } = event.unit;
        return { ...event, ...own, unit: { by, key: unit(environmentId, by, key) } };
      }
      if (!event.units) return { ...event, ...own };
      const units = Object.entries(event.units).map(([by, key]) => [by, unit(environmentId, by, key)]);
      return { ...event, ...own, units: Object.fromEntries(units) as Record<string, string> };
    },

    formsOf: (environmentId, userKey) => [
      userKey,
      hashUser(environmentId, userKey, false),
      hashUser(environmentId, userKey, true),
    ],
  };
}
