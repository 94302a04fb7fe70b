import { patternFault } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { explainPattern } from './explain-pattern.ts';

test.each([
  ['', /must not be empty/],
  ['(?i)', /nothing follows/],
  ['(?=a)', /without look-around/],
  ['x(?<name>a)', /without look-around, names/],
  ['a(?i:b)', /the very start/],
  ['\\p{L}', /^\\p is not supported/],
  ['(a)\\1', /^\\1 is not supported/],
  ['a\\', /ends with a backslash/],
  ['a{1001}', /more than 1,000 times/],
  ['a{2,2000}b', /more than 1,000 times/],
  ['a{3,2}', /first number of a repetition/],
  ['(a{1000}){11}', /more than 10,000 states/],
  ['(a', /a \( is not closed/],
  ['[a', /a \[ is not closed/],
  ['[{2000}', /a \[ is not closed/],
  ['a)', /closes no group/],
  ['*a', /nothing before \*/],
  ['a++', /nothing before \+/],
  ['^?', /nothing before \?/],
  ['{a', /^\{ is not allowed here.*write \\\{/],
  ['a]', /write \\\]/],
  ['[]a]', /^a character class/],
  ['[z-a]', /ranges in ascending order/],
  ['[a-b-c]', /an inner - with a backslash/],
  ['[a&&b]', /&&/],
  ['[[:alpha:]]', /\[ \]/],
])('the refusal of the pattern %s explains the fault', (pattern, reason) => {
  expect(explainPattern(pattern, patternFault(pattern))).toMatch(reason);
});
