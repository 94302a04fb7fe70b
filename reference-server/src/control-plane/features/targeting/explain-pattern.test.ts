import { patternFault } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { explainPattern } from './explain-pattern.ts';

test.each([
  ['', /must not be empty/],
  ['(?i)', /nothing/],
  ['(?=a)', /without look-around/],
  ['x(?<name>a)', /without look-around, names/],
  ['a(?i:b)', /the very start/],
  ['\\p{L}', /^\\p is not known/],
  ['(a)\\1', /^\\1 is not known/],
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
  ['{a', /^\{ does not stand here.*written \\\{/],
  ['a]', /written \\\]/],
  ['[]a]', /^a class/],
  ['[z-a]', /ranges go upwards/],
  ['[a-b-c]', /so is a - inside/],
  ['[a&&b]', /&&/],
  ['[[:alpha:]]', /\[ \]/],
])('says of %s what is wrong', (pattern, why) => {
  expect(explainPattern(pattern, patternFault(pattern))).toMatch(why);
});
