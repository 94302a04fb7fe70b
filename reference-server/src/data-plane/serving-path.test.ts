import { createHash } from 'node:crypto';
import type { Ruleset } from '@flagsvc/sdk-core';
import { describe, expect, test } from 'vitest';
import { createServingPath } from './serving-path.ts';

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

describe.each([
  ['the plain path', false],
  ['the fast path', true],
])('%s', (_, fast) => {
  const { prepare } = createServingPath({ fast });

  test('hashes the canonical JSON of everything but fetched_at, for signatures', async () => {
    const canonical =
      '{"environment_id":"env_1","flags":[{"default_variation":"a","enabled":true,"flag_type":"json","key":"f",' +
      '"targeting_rules":[],"variations":[{"key":"a","value":{"a":["ü",{"10":null,"9":true}],"z":1}}]}],' +
      '"segments":[{"conditions":[],"id":"seg_1","key":"s"}],"version":3}';
    const published = await prepare(ruleset, 'e');
    expect(await published.digest()).toEqual(createHash('sha256').update(canonical).digest());
  });

  test('gives equal contents the same etag, whatever the order of members and the time of fetching', async () => {
    const { flags, ...rest } = ruleset;
    const same = { flags, ...rest, fetched_at: '2027-01-01T00:00:00.000Z' };
    const { etag } = await prepare(ruleset, 'e');
    expect((await prepare(same, 'e')).etag).toBe(etag);
    const others = [
      { environment_id: 'env_2' },
      { segments: [] },
      { flags: [] },
      { flags: [{ ...flags[0]!, enabled: false }] },
      { future: 1 },
    ];
    for (const other of others) expect((await prepare({ ...ruleset, ...other }, 'e')).etag).not.toBe(etag);
  });

  test('writes every member of the ruleset, known or not', async () => {
    const extended = { ...ruleset, future: { list: [1] } };
    const bytes = await (await prepare(extended, 'e')).body('json', 'identity');
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ data: extended });
  });
});
