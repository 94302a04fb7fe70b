import { expect, test } from 'vitest';
import { ownAddress } from './own-address.ts';

const HOME = 'http://localhost:3000';

test.each(['/', '/o/org_1/p/shop/flags?q=a%2Fb&tag=x', '/settings/profile', '/%5Cevil.example'])(
  '%s is an address of the dashboard',
  (next) => {
    expect(ownAddress(next, HOME)).toBe(next);
  },
);

test.each([
  undefined,
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  'https://evil.example',
  'http://localhost:3000@evil.example',
  'http://localhost:30001/',
  'javascript:alert(1)',
  'http://[',
])('%j leads to the first page', (next) => {
  expect(ownAddress(next, HOME)).toBe('/');
});
