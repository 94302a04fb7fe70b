import { readFileSync } from 'node:fs';
import type { Condition, Context, Flag, Ruleset } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { splitIntoChunks } from '../ruleset/chunks.ts';
import { LIGHT_WORK, measure } from './measure.ts';
import { createPatternLoads, type PatternLoads } from './pattern-loads.ts';
import { conditionsOf, FLAG_WORK_MAX, REQUEST_WORK_MAX } from './pattern-work.ts';
import { requireWork } from './require-work.ts';

const matches = (value: string, attribute = 'note'): Condition => ({
  attribute,
  operator: 'matches_regex',
  value,
});

function flag(key: string, conditions: readonly Condition[], more: Partial<Flag> = {}): Flag {
  return {
    key,
    flag_type: 'boolean',
    enabled: true,
    variations: [
      { key: 'on', value: true },
      { key: 'off', value: false },
    ],
    default_variation: 'off',
    targeting_rules: conditions.map((condition, index) => ({
      id: `rule_${index}`,
      priority: index,
      conditions: [condition],
      variation: 'on',
    })),
    ...more,
  };
}

const needs = (...keys: string[]) => ({
  prerequisites: keys.map((flag_key) => ({ flag_key, variation: 'on' })),
});

function rulesetOf(flags: readonly Flag[], segments: Ruleset['segments'] = []): Ruleset {
  return { version: 1, environment_id: 'env_1', flags, segments, fetched_at: '' };
}

const contextOf = (note: unknown): Context => ({ user_key: 'u', attributes: { note } as never });
function loadsOf(ruleset: Ruleset): PatternLoads {
  return createPatternLoads(splitIntoChunks(ruleset), conditionsOf(ruleset.segments));
}
const loadsOfFlags = (...parts: Parameters<typeof rulesetOf>) => loadsOf(rulesetOf(...parts));
const letters = (count: number) => 'x'.repeat(count);

test.each([
  ['a text', letters(999), 1_000_000],
  ['a number', 123_456, 7_000],
  ['true', true, 5_000],
  ['a list of texts', [letters(499), letters(499)], 1_000_000],
  ['a list with an empty text', [''], 1_000],
  ['lists in lists and objects', [[letters(900)], { x: letters(900) }, null], 0],
  ['an object', { x: letters(900) }, 0],
  ['null', null, 0],
])('counts the characters of %s that a pattern reads', (_name, note, work) => {
  const loads = loadsOfFlags([flag('f', [matches('a{500}'), matches('b{500}')])]);
  const measured = measure(loads, ['f'], contextOf(note));
  expect(typeof measured === 'number' ? measured : measured.work).toBe(work);
});

test('adds up all patterns of a flag, whichever attributes they read', () => {
  const flags = [flag('f', [matches('a{300}'), matches('b{300}'), matches('c{100}', 'user_key')])];
  const loads = loadsOfFlags(flags);
  const texts = { user_key: letters(999), attributes: { note: letters(999) } };
  expect(measure(loads, '*', texts)).toBe(700_000);
  const more = { ...texts, user_key: letters(1_000) };
  expect(measure(loads, '*', more)).toMatchObject({ flagKey: 'f', work: 700_100, maximum: FLAG_WORK_MAX });
});

test('counts a segment for each rule that names it', () => {
  const named: Condition = { attribute: '$segment', operator: 'one_of', value: ['s', 'unknown'] };
  const segments = [{ id: 'seg_1', key: 's', conditions: [matches('a{100}')] }];
  const loads = loadsOfFlags([flag('f', [named, named]), flag('g', [])], segments);
  expect(measure(loads, ['f'], contextOf(letters(999)))).toBe(200_000);
});

test('counts everything that prerequisites lead to, each flag once, even in diamonds and cycles', () => {
  const layers = Array.from({ length: 20 }, (_, layer) =>
    ['l', 'r'].map((side) => {
      const more = needs(`l-${layer + 1}`, `r-${layer + 1}`);
      return flag(`${side}-${layer}`, [matches('a{10}')], layer < 19 ? more : needs('l-0'));
    }),
  ).flat();
  const loads = loadsOfFlags(layers);
  expect(measure(loads, ['l-0'], contextOf(letters(999)))).toBe(390_000);
  // An answer for all flags evaluates each flag once per chunk.
  expect(loads.list).toHaveLength(1);
  expect(measure(loads, '*', contextOf(letters(999)))).toBe(400_000);
});

test('counts nothing for flags that are off', () => {
  const heavy = [matches('a{1000}')];
  const loads = loadsOfFlags([flag('off', heavy, { enabled: false }), flag('on', [matches('a{20}')])]);
  expect(measure(loads, '*', contextOf(letters(999)))).toBe(20_000);
  expect(measure(loads, ['off'], contextOf(letters(999)))).toBe(0);
});

test('limits the total work of all flags of a request', () => {
  const flags = Array.from({ length: 101 }, (_, index) =>
    flag(`f-${String(index).padStart(3, '0')}`, [matches('a{100}')]),
  );
  const loads = loadsOfFlags(flags);
  const keys = flags.map(({ key }) => key);
  const text = contextOf(letters(999));
  expect(measure(loads, keys.slice(1), text)).toBe(REQUEST_WORK_MAX);
  const tooMuch = { who: 'The flags of this request', maximum: REQUEST_WORK_MAX, characters: 999 };
  for (const requested of [keys, '*'] as const)
    expect(measure(loads, requested, text)).toMatchObject({ ...tooMuch, work: 10_100_000 });
});

test('counts a shared prerequisite for each flag that a request names', () => {
  const gate = flag('gate', [matches('a{40}')]);
  const dependent = Array.from({ length: 60 }, (_, index) => flag(`f-${index}`, [], needs('gate')));
  const loads = loadsOfFlags([...dependent, gate].sort((left, right) => (left.key < right.key ? -1 : 1)));
  const text = contextOf(letters(299));
  expect(measure(loads, ['f-1'], text)).toBeLessThanOrEqual(LIGHT_WORK);
  expect(
    measure(
      loads,
      dependent.map(({ key }) => key),
      text,
    ),
  ).toBe(60 * 12_000);
});

test.each([
  ['a light text', 9],
  ['a text that makes a chunk heavy, but none of its flags', 999],
  ['a text that is too long for a flag', 7_999],
])('measures each flag as if all keys were named, with %s', (_name, length) => {
  const gate = flag('gate', [matches('a{60}')]);
  const dependent = Array.from({ length: 40 }, (_, index) =>
    flag(`f-${index}`, [matches('b{30}')], needs('gate')),
  );
  const flags = [...dependent, gate].sort((left, right) => (left.key < right.key ? -1 : 1));
  const loads = loadsOfFlags(flags);
  const text = contextOf(letters(length));
  const keys = flags.map(({ key }) => key);
  const expected = length > 9 ? measure(loads, keys, text) : 40 * 900 + 600;
  expect(measure(loads, 'each', text)).toEqual(expected);
});

test('limits the total work of each flag of a request', () => {
  const dependent = Array.from({ length: 60 }, (_, index) => flag(`f-${index + 10}`, [], needs('gate')));
  const loads = loadsOfFlags([...dependent, flag('gate', [matches('a{400}')])]);
  const text = contextOf(letters(999));
  expect(measure(loads, '*', text)).toBeLessThan(REQUEST_WORK_MAX);
  const tooMuch = { who: 'The flags of this request', work: 61 * 400_000, maximum: REQUEST_WORK_MAX };
  expect(measure(loads, 'each', text)).toMatchObject(tooMuch);
});

test('accepts a thousand flags with a pattern each and a user agent of 300 characters', () => {
  const flags = Array.from({ length: 1_000 }, (_, index) =>
    flag(`f-${String(index).padStart(4, '0')}`, [matches(`(?i)(chrome|firefox)/1[0-9]{2}\\.${index % 10}`)]),
  );
  const loads = loadsOfFlags(flags);
  const measured = measure(loads, '*', contextOf(letters(300)));
  expect(measured).toBeLessThanOrEqual(REQUEST_WORK_MAX);
  expect(measured).toBeGreaterThan(LIGHT_WORK);
});

test.each([
  ['contains', 'ab', 40],
  ['not_contains', '\ud83d', 1_000],
  ['version_gt', '1.0.0', 500],
  ['one_of', ['a', 'b'], 40],
  ['lt', 7, 40],
] as const)('counts %s %j as %d for a thousand characters', (operator, value, work) => {
  const loads = loadsOfFlags([flag('f', [{ attribute: 'note', operator, value }])]);
  expect(measure(loads, ['f'], contextOf(letters(999)))).toBeCloseTo(work);
});

test('limits conditions without patterns too', () => {
  const searches = Array.from({ length: 1_000 }, (_, index) => ({
    attribute: 'note',
    operator: 'contains' as const,
    value: `a${index}`,
  }));
  const loads = loadsOfFlags([flag('f', searches)]);
  expect(measure(loads, '*', contextOf(letters(17_000)))).toEqual(expect.any(Number));
  expect(measure(loads, '*', contextOf(letters(18_000)))).toMatchObject({ flagKey: 'f' });
});

test('reports the flag, the amount and the remedy', () => {
  const loads = loadsOfFlags([flag('heavy', [matches('a{900}'), matches('b{50}', 'user_key')])]);
  const refuse = (context: Context) => () => requireWork(measure(loads, '*', context), 'contexts.3');
  expect(refuse(contextOf(letters(1_000)))).toThrow(
    expect.objectContaining({
      code: 'LIMIT_EXCEEDED',
      message:
        'The flag "heavy" would need too much work: 901000 (characters times states of regular expressions); the ' +
        'maximum is 700000. Most of it is due to attributes.note, which has 1000 characters. Send a shorter text, or use ' +
        'fewer and simpler conditions.',
      details: {
        field: 'contexts.3.attributes.note',
        location: 'body',
        limit: 'pattern_work',
        maximum: 700_000,
        work: 901_000,
        flag_key: 'heavy',
      },
    }),
  );
  const fieldFor = (context: Context) =>
    expect.objectContaining({ details: expect.objectContaining(context) });
  expect(refuse({ user_key: letters(15_000) })).toThrow(fieldFor({ field: 'contexts.3.user_key' } as never));
  expect(refuse({ user_key: 'u', attributes: { user_key: letters(15_000) } })).toThrow(
    fieldFor({ field: 'contexts.3.attributes.user_key' } as never),
  );
});

test('accepts nearly every context of the vectors', () => {
  const file = new URL('../../../../conformance/vectors/regex.json', import.meta.url);
  let contexts = 0;
  const refused = new Set<string>();
  for (const { id, ruleset, calls } of JSON.parse(readFileSync(file, 'utf8')).vectors) {
    const loads = loadsOf(ruleset);
    for (const { context } of calls) {
      if (typeof measure(loads, '*', context) !== 'number') refused.add(id);
      contexts++;
    }
  }
  expect(contexts).toBeGreaterThan(1_000);
  // The only refused contexts are those in which patterns of a thousand states or more read a thousand characters.
  expect(refused.size).toBeLessThan(10);
});
