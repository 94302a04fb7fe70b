import { expect, test } from 'vitest';
import { bestFirst } from './best-first.ts';

const found = (text: string, ...keys: readonly string[]) =>
  bestFirst(
    keys.map((key) => ({ key, name: key.replaceAll('-', ' ') })),
    text,
  ).map(({ key }) => key);

test('the whole name comes first, then its begin, then the begin of a word, then the rest in the order given', () => {
  const keys = ['recheckout', 'loyalty-at-checkout', 'guest-checkout', 'checkout-layout', 'checkout'];
  expect(found(' Checkout', ...keys)).toEqual([
    'checkout',
    'checkout-layout',
    'loyalty-at-checkout',
    'guest-checkout',
    'recheckout',
  ]);
});
