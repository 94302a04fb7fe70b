import { readFileSync } from 'node:fs';
import { isPatternValid, type Ruleset } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { findTooLong, PATTERN_WORK_MAX, patternStates } from './pattern-work.ts';

test.each([
  ['a', 1],
  ['abc', 3],
  ['(?i)abc', 3],
  ['^a.\\d[a-z\\]]$', 6],
  ['a|bc|', 3],
  ['(a|bc){3}', 9],
  ['(?:a{2,5}b*)+?', 6],
  ['a{0,}', 1],
  ['a{7,}', 7],
  ['(a{100}){100}', 10_000],
  ['(|){5}x', 1],
  ['😀{4}[😀-😂]', 5],
  ['\\(\\[\\b\\{', 4],
  ['[^\\]()|{]{9}', 9],
])('counts the states of %s as %d', (pattern, states) => {
  expect(isPatternValid(pattern)).toBe(true);
  expect(patternStates(pattern)).toBe(states);
});

test('counts as the dialect itself does, over all patterns of the vectors', () => {
  const file = new URL('../../../conformance/vectors/regex.json', import.meta.url);
  const patterns = new Set<string>();
  JSON.parse(readFileSync(file, 'utf8'), (_name, value) => {
    if (value?.operator === 'matches_regex' && typeof value.value === 'string') patterns.add(value.value);
    return value;
  });
  let compared = 0;
  for (const pattern of patterns) {
    const [flags] = /^\(\?[ims]+\)|/.exec(pattern)!;
    const repeated = (times: number) => `${flags}(?:${pattern.slice(flags.length)}){${times}}`;
    // The repetition must fit into the bound of 512 characters too.
    if (!isPatternValid(pattern) || pattern.length > 500) continue;
    const states = patternStates(pattern);
    const most = Math.min(1_000, Math.floor(10_000 / states));
    expect([pattern, isPatternValid(repeated(most))]).toEqual([pattern, true]);
    if (most < 1_000) expect([pattern, isPatternValid(repeated(most + 1))]).toEqual([pattern, false]);
    compared++;
  }
  expect(compared).toBeGreaterThan(100);
});

const asking = (value: string): Ruleset['segments'][number] => ({
  id: 'seg_1',
  key: 's',
  conditions: [
    { attribute: 'url', operator: 'matches_regex', value },
    { attribute: 'user_key', operator: 'matches_regex', value: 'x{1000}' },
    { attribute: 'note', operator: 'contains', value: 'x' },
  ],
});
const rulesetOf = (pattern: string) => ({ flags: [], segments: [asking('a'), asking(pattern), asking('b')] });
const heavy = rulesetOf('a{1000}b{1000}');

test.each([
  ['x'.repeat(5_000), undefined],
  ['x'.repeat(5_001), 5_001],
  [['x'.repeat(2_499), 'x'.repeat(2_499)], undefined],
  [['x'.repeat(2_500), 'x'.repeat(2_500)], 5_002],
  // Even an empty text is begun.
  [Array(5_001).fill(''), 5_001],
  [Array(2_501).fill(7), 5_002],
  [[['x'.repeat(9_000)], { x: 'x'.repeat(9_000) }, null], undefined],
  [{ x: 'x'.repeat(9_000) }, undefined],
])('measures what a pattern would read, case %#', (url, length) => {
  const found = findTooLong(heavy, { user_key: 'u', attributes: { url: url as never } });
  expect(found).toEqual(length && { attribute: 'url', length, states: 2_000, maximum: 5_000 });
});

test('leaves alone what no pattern asks for, and what a small one does', () => {
  const long = 'x'.repeat(200_000);
  expect(findTooLong(heavy, { user_key: 'u', attributes: { note: long, other: long } })).toBeUndefined();
  expect(findTooLong(rulesetOf('x{40}'), { user_key: 'u', attributes: { url: long } })).toBeUndefined();
});

test('measures the user key where a pattern reads it', () => {
  const user_key = 'x'.repeat(10_001);
  expect(findTooLong(heavy, { user_key })).toMatchObject({ attribute: 'user_key', maximum: 10_000 });
  expect(findTooLong(heavy, { user_key, attributes: { user_key: 'x' } })).toBeUndefined();
  expect(PATTERN_WORK_MAX).toBe(10_000_000);
});

test('reads every text of the vectors', () => {
  const file = new URL('../../../conformance/vectors/regex.json', import.meta.url);
  let contexts = 0;
  for (const { ruleset, calls } of JSON.parse(readFileSync(file, 'utf8')).vectors) {
    for (const { context } of calls) {
      expect(findTooLong(ruleset, context)).toBeUndefined();
      contexts++;
    }
  }
  expect(contexts).toBeGreaterThan(1_000);
});
