import { expect, test } from 'vitest';
import { isPatternValid, patternFault } from '../src/index.ts';

/** `‸` marks the code point at which the pattern leaves the dialect. */
test.each([
  '‸',
  'a*‸+',
  '‸*a',
  'a|‸+',
  'ab‸]',
  'ab‸}',
  'a‸{',
  'a‸{,3}',
  'a‸{02}',
  'a{3,2}‸',
  'a{1001}‸',
  'a{2}‸{3}',
  'a+?‸?',
  '(a‸',
  '(a(b)‸',
  'a‸)',
  'a(?‸i)',
  '(?‸=a)',
  '(?‸<name>a)',
  '(?i)‸',
  '(?i)(?‸i)a',
  '[‸]',
  '[^‸]',
  '[a‸',
  '[a‸[b]',
  '[b-a‸]',
  '[a-‸[b]',
  '[‸&&a]',
  '[a‸~~b]',
  '[a-c‸-e]',
  '[\\‸b]',
  '[\\‸S]',
  '[\\d-a‸]',
  '[a-\\d‸]',
  '\\‸',
  '\\‸p{L}',
  '\\‸x41',
  '\\‸1',
  'a\\‸c',
  '😀😀*?‸+',
  '^‸*',
  '$‸+',
  '\\b‸?',
])('finds where %s leaves the dialect', (marked) => {
  const at = Array.from(marked).indexOf('‸');
  const pattern = marked.replace('‸', '');
  expect(patternFault(pattern)).toBe(at);
  expect(isPatternValid(pattern)).toBe(false);
});

test('finds where a pattern is too large', () => {
  expect(patternFault('a'.repeat(512))).toBe(-1);
  expect(patternFault('a'.repeat(513))).toBe(0);
  expect(patternFault('😀'.repeat(512))).toBe(-1);
  expect(patternFault('(?:[a-z]{100}){100}')).toBe(-1);
  expect(patternFault('(?:[a-z]{100}){101}')).toBe(19);
});
