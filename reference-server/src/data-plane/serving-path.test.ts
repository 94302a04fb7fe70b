import { createHash } from 'node:crypto';
import type { Ruleset } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { createPublishedRuleset } from './fast-path/fast-ruleset.ts';

const ruleset: Ruleset = {
  version: 3,
  environment_id: 'env_1',
  flags: [
    {
      key: 'f',
      flag_type: 'json',
      enabled: true,
      variations: [{ key: 'a', value: { z: 1, a: ['ü', { '10': null, '9': true }] } }],
      default_variation: 'a',
      targeting_rules: [],
    },
  ],
  segments: [{ id: 'seg_1', key: 's', conditions: [] }],
  fetched_at: '2026-11-20T10:00:00.000Z',
};

test('sums the canonical JSON of everything but fetched_at up, for whoever signs it', async () => {
  const canonical =
    '{"environment_id":"env_1","flags":[{"default_variation":"a","enabled":true,"flag_type":"json","key":"f",' +
    '"targeting_rules":[],"variations":[{"key":"a","value":{"a":["ü",{"10":null,"9":true}],"z":1}}]}],' +
    '"segments":[{"conditions":[],"id":"seg_1","key":"s"}],"version":3}';
  const sum = createHash('sha256').update(canonical).digest();
  const published = await createPublishedRuleset(ruleset, 'e');
  expect(await published.digest()).toEqual(sum);
  expect(published.digest()).toBe(published.digest());
});

test('gives one tag to one content, however its names are ordered and whenever it was fetched', async () => {
  const { flags, ...rest } = ruleset;
  const same = { flags, ...rest, fetched_at: '2027-01-01T00:00:00.000Z' };
  const { etag } = await createPublishedRuleset(ruleset, 'e');
  expect((await createPublishedRuleset(same, 'e')).etag).toBe(etag);
  const others = [
    { environment_id: 'env_2' },
    { segments: [] },
    { flags: [] },
    { flags: [{ ...flags[0]!, enabled: false }] },
    { future: 1 },
  ];
  for (const other of others) {
    expect((await createPublishedRuleset({ ...ruleset, ...other }, 'e')).etag).not.toBe(etag);
  }
});

test('writes every field of the ruleset, known or not', async () => {
  const extended = { ...ruleset, future: { list: [1] } };
  const bytes = await (await createPublishedRuleset(extended, 'e')).body('json', 'identity');
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ data: extended });
});
