import { readFileSync } from 'node:fs';
import { isPatternValid } from '@flagsvc/sdk-core';
import { createSeededRandom } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { patternStates, patternWeight } from './pattern-states.ts';

test.each([
  ['a', 1],
  ['abc', 3],
  ['(?i)abc', 3],
  ['^a.\\d[a-z\\]]$', 6],
  ['a|bc|', 3],
  ['(a|bc){3}', 9],
  ['(?:a{2,5}b*)+?', 6],
  ['a{3,7}', 7],
  ['a{0,}', 1],
  ['a{7,}', 7],
  ['(a{100}){100}', 10_000],
  ['(|){5}x', 1],
  ['😀{4}[😀-😂]', 5],
  ['\\(\\[\\b\\{', 4],
  ['[^\\]()|{]{9}', 9],
  ['[-a]{2}[a-]{3}[\\--\\]]', 6],
])('counts the states of %s as %d', (pattern, states) => {
  expect(isPatternValid(pattern)).toBe(true);
  expect(patternStates(pattern)).toBe(states);
});

/** Checks the count by the dialect's limit of 10,000 states: as many repetitions as fit are valid, and one more is not. */
function agrees(pattern: string): boolean {
  const [flags] = /^\(\?[ims]+\)|/.exec(pattern)!;
  const repeated = (times: number) => `${flags}(?:${pattern.slice(flags.length)}){${times}}`;
  // The repetition must also stay within 512 characters.
  if (!isPatternValid(pattern) || pattern.length > 500) return false;
  const states = patternStates(pattern);
  const most = Math.min(1_000, Math.floor(10_000 / states));
  expect([pattern, isPatternValid(repeated(most))]).toEqual([pattern, true]);
  if (most < 1_000) expect([pattern, isPatternValid(repeated(most + 1))]).toEqual([pattern, false]);
  return true;
}

test('counts as many states as the evaluator for all patterns of the vectors', () => {
  const file = new URL('../../../../conformance/vectors/regex.json', import.meta.url);
  const patterns = new Set<string>();
  JSON.parse(readFileSync(file, 'utf8'), (_name, value) => {
    if (value?.operator === 'matches_regex' && typeof value.value === 'string') patterns.add(value.value);
    return value;
  });
  expect([...patterns].filter(agrees).length).toBeGreaterThan(100);
});

test('counts as many states as the evaluator for random patterns', () => {
  const random = createSeededRandom(1);
  const one = (...of: string[]): string => of[Math.floor(random() * of.length)]!;
  const atom = (depth: number): string =>
    depth > 0 && random() < 0.4
      ? `${one('(', '(?:')}${branches(depth - 1)})`
      : one('a', '.', '\\d', '\\(', '[a-z]', '[^\\]\\[)]', '[-(]', '😀', '/');
  const times = (): string =>
    one('', '', '*', '+', '?', '{3}', '{0}', '{2,}', '{0,}', '{1,4}', '{5,9}?', '*?');
  const branch = (depth: number): string =>
    Array.from(
      { length: Math.ceil(random() * 3) },
      () => one('^', '\\b', '', '') + atom(depth) + times(),
    ).join('');
  const branches = (depth: number): string =>
    Array.from({ length: Math.ceil(random() * 2) }, () => branch(depth)).join('|');
  const patterns = Array.from({ length: 300 }, () => one('', '(?i)', '(?ims)') + branches(2)).filter(
    (pattern) => isPatternValid(pattern) && patternStates(pattern) > 0,
  );
  expect(patterns.filter(agrees).length).toBeGreaterThan(200);
});

test('weighs a class by its members, and every pattern as at least ten states', () => {
  expect(patternWeight('a')).toBe(10);
  expect(patternWeight('a{40}')).toBe(40);
  expect(patternWeight('[a-z0-9_-]{40}')).toBe(40);
  expect(patternWeight(`[${'\\n'.repeat(200)}]{40}`)).toBe(2_000);
  expect(patternWeight('[-a-c\\]-]{40}')).toBe(40);
});
