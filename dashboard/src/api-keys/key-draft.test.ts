import { expect, test } from 'vitest';
import { bodyOfKey, draftOfKey, emptyKeyDraft, keyChanges } from './key-draft.ts';
import type { ApiKey } from './use-api-keys.ts';

const key = {
  id: 'key_1',
  name: 'storefront',
  kind: 'client',
  environment_id: 'env_1',
  allowed_origins: ['https://shop.example.com'],
  allowed_ips: [],
  rate_limits: { evaluation: 100 },
  expires_at: null,
} as unknown as ApiKey;

test('only keys of kind client have origins, and an empty limit is left out', () => {
  const draft = { ...emptyKeyDraft('env_1'), name: ' a ', origins: ['https://a.example'] };
  const limits = { evaluation: Number.NaN, stream: 5 };
  expect(bodyOfKey({ ...draft, limits })).toMatchObject({
    name: 'a',
    allowed_origins: [],
    rate_limits: { stream: 5 },
  });
  expect(bodyOfKey({ ...draft, kind: 'client' }).allowed_origins).toEqual(['https://a.example']);
});

test('an edit lists the fields that differ, and nothing for the key as it is', () => {
  const draft = draftOfKey(key);
  expect(keyChanges(key, draft)).toEqual({});
  expect(keyChanges(key, { ...draft, limits: {}, addresses: ['10.0.0.0/8'] })).toEqual({
    allowed_ips: { from: [], to: ['10.0.0.0/8'] },
    rate_limits: { from: { evaluation: 100 }, to: {} },
  });
});
