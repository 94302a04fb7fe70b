import { expect, test } from 'vitest';
import { editText, readValue } from './values.ts';

test.each([
  ['number', '2.5', { value: 2.5 }],
  ['number', ' -3e2 ', { value: -300 }],
  ['number', '', { fault: 'A number is missing.' }],
  ['number', '2,5', { fault: 'This is not a number. Write digits with a point, such as 2.5.' }],
  ['number', '1e999', { fault: 'This is not a number. Write digits with a point, such as 2.5.' }],
  ['number', 'Infinity', { fault: 'This is not a number. Write digits with a point, such as 2.5.' }],
  ['number', '9007199254740992', { value: 9_007_199_254_740_992 }],
  [
    'number',
    '9007199254740993',
    {
      fault:
        'Apps would get 9007199254740992 instead. Use a number below 9,007,199,254,740,992, or a flag that serves text.',
    },
  ],
  [
    'json',
    '{"id": 9007199254740993}',
    { fault: 'Line 1, column 8: 9007199254740993 is not a number that all SDKs can read.' },
  ],
  ['string', ' {', { value: ' {' }],
  ['boolean', 'false', { value: false }],
  ['json', '{"a": [1]}', { value: { a: [1] } }],
  ['json', '{\n  "a": 1,\n}', { fault: 'Line 3, column 1: a text in double quotes is expected, not }.' }],
  ['json', '"text"', { fault: 'The value must be an object in { } or a list in [ ].' }],
  ['json', 'null', { fault: 'The value must be an object in { } or a list in [ ].' }],
] as const)('as a %s, %j is %j', (type, text, expected) => {
  expect(readValue(type, text)).toEqual(expected);
});

test('what is edited reads back as the value', () => {
  for (const [type, value] of [
    ['json', { a: [1, { b: null }], '': 'é' }],
    ['number', -0.1],
    ['string', 'two\nlines'],
    ['boolean', true],
  ] as const)
    expect(readValue(type, editText(type, value))).toEqual({ value });
});
