import { expect, test } from 'vitest';
import { keyOf } from '../app/key-of.ts';
import { bodyOf, type NewFlag } from './new-flag.ts';

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
