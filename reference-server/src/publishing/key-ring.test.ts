import { expect, test } from 'vitest';
import type { KeyGrant } from '../data-plane/ports.ts';
import { generateKey } from './key-format.ts';
import { createKeyRing, hashApiKey, type KeyUse, type StoredKey } from './key-ring.ts';

const SECRET = 's'.repeat(32);
const [KEY, OTHER_KEY] = [generateKey('development'), generateKey('development')];
const HASH = hashApiKey(SECRET, KEY);
const GRANT: KeyGrant = {
  keyId: 'key_1',
  kind: 'server',
  environmentId: 'env_1',
  projectId: 'prj_1',
  organizationId: 'org_1',
};
const STORED: StoredKey = { ...GRANT, expiresAt: null };

/** A ring over a source in memory that holds `KEY`. */
function setUp(key = STORED) {
  const stored = new Map([[HASH, key]]);
  const touched: KeyUse[] = [];
  const time = { now: Date.parse('2026-11-20T10:00:00.000Z') };
  let lookups = 0;
  const ring = createKeyRing({
    source: {
      async findByHash(hash) {
        lookups += 1;
        return stored.get(hash);
      },
      isLive: async (keyId) => [...stored.values()].some((one) => one.keyId === keyId),
      async touch(uses) {
        touched.push(...uses);
      },
    },
    apiSecretKey: SECRET,
    now: () => time.now,
    onError: (error) => expect.unreachable(String(error)),
  });
  return { ring, stored, touched, time, countLookups: () => lookups };
}

test('looks up a key only once, by its HMAC', async () => {
  const { ring, countLookups } = setUp();
  expect(await ring.authenticate(KEY)).toEqual(GRANT);
  expect(ring.authenticate(KEY)).toEqual(GRANT);
  expect(await ring.authenticate(OTHER_KEY)).toBeUndefined();
  expect(ring.authenticate(OTHER_KEY)).toBeUndefined();
  expect(countLookups()).toBe(2);
});

test('queries once for concurrent requests with the same key, and calls beforeQuery once', async () => {
  const { ring, countLookups } = setUp();
  let calls = 0;
  const authenticate = () =>
    ring.authenticate(KEY, () => {
      calls += 1;
    });
  const answers = [authenticate(), authenticate(), authenticate()];
  expect(await Promise.all(answers)).toEqual([GRANT, GRANT, GRANT]);
  expect(await authenticate()).toEqual(GRANT);
  expect([calls, countLookups()]).toEqual([1, 1]);
});

test('does not query if beforeQuery throws, or if the text does not have the form of a key', async () => {
  const { ring, countLookups } = setUp();
  const forbid = () => {
    throw new Error('not now');
  };
  expect(() => ring.authenticate(KEY, forbid)).toThrow('not now');
  const swapped = KEY.replace('sdk-dev-', 'sdk-prod-');
  for (const text of ['', 'sdk-dev-1', swapped, `${KEY} `, KEY.slice(1), KEY.repeat(1_000)]) {
    expect(ring.authenticate(text, forbid)).toBeUndefined();
  }
  expect(ring.recall(KEY)).toBeUndefined();
  expect(countLookups()).toBe(0);
  expect(await ring.authenticate(KEY)).toEqual(GRANT);
  expect(ring.recall(KEY)).toEqual(GRANT);
});

test('forgets a revoked key at once, even while it is being looked up', async () => {
  const { ring, stored } = setUp();
  const pending = ring.authenticate(KEY);
  stored.delete(HASH);
  ring.forget('key_1');
  await pending;
  expect(await ring.authenticate(KEY)).toBeUndefined();
});

test('refuses a key from the moment it expires', async () => {
  const { ring, time } = setUp({ ...STORED, expiresAt: '2026-11-20T10:00:01.000Z' });
  expect(await ring.authenticate(KEY)).toEqual(GRANT);
  time.now += 1_000;
  expect(ring.authenticate(KEY)).toBeUndefined();
});

test('records the last use at most once a minute', async () => {
  const { ring, touched, time } = setUp();
  await ring.authenticate(KEY);
  time.now += 59_999;
  await ring.authenticate(KEY);
  await ring.close();
  expect(touched).toEqual([{ keyId: 'key_1', lastUsedAt: '2026-11-20T10:00:00.000Z' }]);
  time.now += 1;
  await ring.authenticate(KEY);
  await ring.close();
  expect(touched).toHaveLength(2);
});
