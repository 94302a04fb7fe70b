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

/** The same value with the members of each object in the opposite order. */
function reverseMembers<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reverseMembers) as T;
  const members = Object.entries(value).map(([name, member]) => [name, reverseMembers(member)]);
  return Object.fromEntries(members.reverse()) as T;
}

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

  test('gives equal contents the same bytes in MessagePack, whatever the order of members', async () => {
    const reordered = JSON.parse(JSON.stringify(ruleset)) as Ruleset;
    const turned = { ...reordered, flags: reordered.flags.map(reverseMembers) };
    const bytesOf = async (from: Ruleset) => (await prepare(from, 'e')).body('msgpack', 'identity');
    expect(await bytesOf(turned)).toEqual(await bytesOf(ruleset));
  });

  test('finds the segment that a number or a boolean names', async () => {
    const flag = ruleset.flags[0]!;
    const rule = (value: number | boolean, variation: string) => ({
      ...{ id: `${value}`, priority: 1, variation },
      conditions: [{ attribute: '$segment', operator: 'is' as const, value }],
    });
    const variations = [...flag.variations, { key: 'b', value: {} }];
    const flags = [1, true].map((value) => ({
      ...{ ...flag, key: `${value}`, variations },
      targeting_rules: [rule(value, 'b')],
    }));
    const segments = ['1', 'true'].map((key) => ({ id: key, key, conditions: [] }));
    const published = await prepare({ ...ruleset, flags, segments }, 'e');
    const { body, release } = published.evaluate('*', { user_key: 'u' }, '2026-11-20T10:00:00.000Z');
    const { evaluations } = JSON.parse(Buffer.from(body as Uint8Array).toString()).data;
    release?.();
    expect([evaluations['1'].variation_key, evaluations['true'].variation_key]).toEqual(['b', 'b']);
  });

  test('writes every member of the ruleset, known or not', async () => {
    const extended = { ...ruleset, future: { list: [1] } };
    const bytes = await (await prepare(extended, 'e')).body('json', 'identity');
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ data: extended });
  });
});
