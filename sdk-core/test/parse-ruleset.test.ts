import { expect, test } from 'vitest';
import { parseRuleset } from '../src/index.ts';
import { createTestFlag, createTestRuleset } from '../src/testing.ts';

const FRAME = { version: 1, environment_id: 'env_1', flags: [] };
const RULE = { id: 'r', priority: 1, conditions: [{ attribute: 'plan', operator: 'is', value: 'pro' }] };
const SEGMENT = { id: 'seg_1', key: 'testers', conditions: [] };

/** Path and code of each fault. */
const faultsOf = (json: unknown): string[] =>
  parseRuleset(json).faults.map(({ path, code }) => `${path} ${code}`.trim());

test.each([
  ['malformed_json', '{"version": 1,'],
  ['malformed_json', ''],
  ['expected_object', 'null'],
  ['expected_object', []],
  ['expected_object', undefined],
  ['version expected_number', { ...FRAME, version: '1' }],
  ['version expected_number', { ...FRAME, version: Infinity }],
  ['environment_id expected_string', { ...FRAME, environment_id: undefined }],
  ['flags expected_array', { ...FRAME, flags: {} }],
  ['flags[1] expected_value', { ...FRAME, flags: [createTestFlag('a', true), undefined] }],
  ['segments expected_array', { ...FRAME, segments: 'none' }],
])('rejects what is not a ruleset: %s (%#)', (fault, json) => {
  expect(parseRuleset(json)).toEqual({ ruleset: undefined, faults: [expect.anything()] });
  expect(faultsOf(json)).toEqual([fault]);
});

test.each<[fault: string, broken: unknown]>([
  [' expected_object', null],
  [' expected_object', [createTestFlag('broken', true)]],
  ['.key expected_string', { key: 7 }],
  ['.enabled expected_boolean', { enabled: 'true' }],
  ['.variations expected_array', { variations: { on: true } }],
  ['.variations[0] expected_object', { variations: ['on'] }],
  ['.variations[1].key expected_string', { variations: [{ key: 'on', value: 1 }, { value: 2 }] }],
  ['.variations[0].value expected_value', { variations: [{ key: 'on' }] }],
  ['.default_variation expected_string', { default_variation: null }],
  ['.default_variation unknown_variation', { default_variation: 'third' }],
  ['.targeting_rules expected_array', { targeting_rules: 'none' }],
  ['.targeting_rules[1] expected_object', { targeting_rules: [RULE, null] }],
  ['.targeting_rules[0].id expected_string', { targeting_rules: [{ ...RULE, id: undefined }] }],
  ['.targeting_rules[0].priority expected_number', { targeting_rules: [{ ...RULE, priority: NaN }] }],
  ['.targeting_rules[0].conditions expected_array', { targeting_rules: [{ ...RULE, conditions: null }] }],
  [
    '.targeting_rules[0].conditions[0].attribute expected_string',
    { targeting_rules: [{ ...RULE, conditions: [{ operator: 'is', value: 'a' }] }] },
  ],
  [
    '.targeting_rules[0].conditions[0].operator expected_string',
    { targeting_rules: [{ ...RULE, conditions: [{ attribute: 'a', operator: 1 }] }] },
  ],
  ['.targeting_rules[0].variation expected_string', { targeting_rules: [{ ...RULE, variation: 1 }] }],
  [
    '.targeting_rules[0].percentage_rollout expected_array',
    { targeting_rules: [{ ...RULE, percentage_rollout: 50 }] },
  ],
  [
    '.targeting_rules[0].percentage_rollout[1].percentage expected_number',
    {
      targeting_rules: [
        {
          ...RULE,
          percentage_rollout: [
            { variation: 'on', percentage: 1 },
            { variation: 'off', percentage: '1' },
          ],
        },
      ],
    },
  ],
  ['.prerequisites[0].variation expected_string', { prerequisites: [{ flag_key: 'other' }] }],
])('leaves a flag out and names its first flaw: %s', (fault, broken) => {
  const isPart = broken !== null && !Array.isArray(broken);
  const flag = isPart ? { ...createTestFlag('broken', true), ...(broken as object) } : broken;
  const sound = createTestFlag('sound', true);
  const given = { ...FRAME, flags: [sound, flag, sound] };
  expect(parseRuleset(given).ruleset?.flags).toEqual([sound]);
  expect(faultsOf(given)).toEqual([`flags[1]${fault}`, 'flags[2].key duplicate_key']);
  expect(faultsOf(JSON.stringify(given))).toEqual(faultsOf(given));
});

test.each<[fault: string, segment: unknown]>([
  [' expected_object', 'testers'],
  ['.key expected_string', { ...SEGMENT, key: null }],
  ['.conditions expected_array', { ...SEGMENT, conditions: undefined }],
  ['.conditions[0] expected_object', { ...SEGMENT, conditions: [null] }],
  ['.key duplicate_key', SEGMENT],
])('leaves a segment out and names its first flaw: %s', (fault, segment) => {
  const given = { ...FRAME, segments: [SEGMENT, segment] };
  expect(parseRuleset(given).ruleset?.segments).toEqual([SEGMENT]);
  expect(faultsOf(given)).toEqual([`segments[1]${fault}`]);
});

test('accepts unknown fields, and optional fields that are missing or null', () => {
  const flag = {
    ...createTestFlag('f', 'text'),
    owner: 'ada',
    targeting_rules: [{ ...RULE, variation: null, percentage_rollout: null, note: [] }],
    prerequisites: null,
  };
  const given = { ...createTestRuleset([]), flags: [flag], segments: null, region: 'eu' };
  const { ruleset, faults } = parseRuleset(JSON.stringify(given));
  expect(faults).toEqual([]);
  expect(ruleset).toEqual({ ...given, segments: [] });
});
