import { expect, test } from 'vitest';
import { keyOf } from '../app/key-of.ts';
import { bodyOf, isValue, type NewFlag } from './new-flag.ts';

const flag: NewFlag = {
  name: ' New checkout ',
  key: '',
  type: 'boolean',
  kind: 'release',
  description: '',
  isForClients: false,
};

test.each([
  ['New checkout: step 2', 'new-checkout-step-2'],
  ['  Übersicht & Café ', 'ubersicht-cafe'],
  ['360° pictures', '360-pictures'],
  ['日本', ''],
  [`${'a'.repeat(99)} b`, 'a'.repeat(99)],
])('the key of "%s" is "%s"', (name, key) => {
  expect(keyOf(name)).toBe(key);
});

test('a switch serves off until it is switched on', () => {
  expect(bodyOf(flag)).toEqual({
    name: 'New checkout',
    key: 'new-checkout',
    flag_type: 'boolean',
    variations: [
      { key: 'on', name: 'On', value: true },
      { key: 'off', name: 'Off', value: false },
    ],
    default_variation: 'off',
    classification: 'release',
    client_side: false,
  });
});

test('a key that was typed is used as it is', () => {
  expect(bodyOf({ ...flag, key: 'checkout-v2', type: 'number' })).toMatchObject({
    key: 'checkout-v2',
    default_variation: 'first',
    variations: [{ value: 1 }, { value: 2 }],
  });
});

test('values that were typed become variations, and the first is the default', () => {
  const texts = bodyOf({ ...flag, type: 'string', values: ['Dark red', '', '日本', 'dark-red', ' '] });
  expect(texts).toMatchObject({
    default_variation: 'dark-red',
    variations: [
      { key: 'dark-red', name: 'Dark red', value: 'Dark red' },
      { key: 'value-2', name: '日本', value: '日本' },
      { key: 'dark-red-2', name: 'dark-red', value: 'dark-red' },
    ],
  });
  const numbers = bodyOf({ ...flag, type: 'number', values: ['10', ' -2.5 '] });
  expect(numbers).toMatchObject({
    default_variation: '10',
    variations: [{ value: 10 }, { key: '2-5', value: -2.5 }],
  });
  // Values of another type are kept while the person looks around, and count for nothing.
  expect(bodyOf({ ...flag, values: ['10'] }).variations).toHaveLength(2);
});

test.each([
  ['number', '2.5', true],
  ['number', '', true],
  ['number', '2,5', false],
  ['number', '0x10', false],
  ['number', '1e400', false],
  ['number', '9007199254740993', false],
  ['string', '1e400', true],
] as const)('as a %s, %j can be a value: %s', (type, text, can) => {
  expect(isValue(type, text)).toBe(can);
});
