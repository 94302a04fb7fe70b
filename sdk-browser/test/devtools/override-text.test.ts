/** What a server reads from requests, which any visitor can send. */
import { linkWithOverrides, readOverrides } from '@flagsvc/sdk-browser/devtools';
import { expect, test } from 'vitest';

const cookie = (text: string) => `a=1; flagsvc-overrides=${encodeURIComponent(text)}; b=2`;
const query = (text: string) => `/shop?page=2&flagsvc-overrides=${encodeURIComponent(text)}`;

test('the parameter of an address wins over the cookie', () => {
  expect(readOverrides({ url: query('{"a":1}'), cookie: cookie('{"b":2}') })).toEqual({ a: 1 });
  expect(readOverrides({ url: '/shop', cookie: cookie('{"b":"é; ,"}') })).toEqual({ b: 'é; ,' });
  expect(readOverrides({ url: `https://shop.example${query('{"a":[1]}')}` })).toEqual({ a: [1] });
});

test('a parameter typed by hand works as well', () => {
  expect(readOverrides({ url: '/?flagsvc-overrides={"new-checkout":true}' })).toEqual({
    'new-checkout': true,
  });
});

test.each([
  ['no source', {}],
  ['null', { url: null, cookie: null }],
  ['an array', { url: query('[1]') }],
  ['a string', { url: query('"a"') }],
  ['null as JSON', { cookie: cookie('null') }],
  ['text that is not JSON', { cookie: cookie('{"a":') }],
  ['a cookie with a broken escape', { cookie: 'flagsvc-overrides=%E0%A4%A' }],
  ['an invalid address', { url: 'http://[' }],
  ['a cookie of another name', { cookie: 'xflagsvc-overrides=%7B%22a%22%3A1%7D' }],
])('%s carries no overrides', (_, source) => {
  expect(readOverrides(source)).toEqual({});
});

test('a broken parameter leaves the cookie in force', () => {
  expect(readOverrides({ url: query('oops'), cookie: cookie('{"b":2}') })).toEqual({ b: 2 });
});

test('keys and values from a request pollute no prototype and cannot be changed', () => {
  const overrides = readOverrides({ url: query('{"__proto__":{"isAdmin":true},"list":[{"x":1}]}') });
  expect(Object.keys(overrides)).toEqual(['__proto__', 'list']);
  expect('isAdmin' in {}).toBe(false);
  expect(() => (overrides['list'] as unknown[]).push(2)).toThrow(TypeError);
});

test('a link carries the overrides and keeps the rest of the address', () => {
  const overrides = { 'a&b=c': 'é#"', list: [1, { two: null }] };
  const link = linkWithOverrides('https://shop.example/cart?page=2#top', overrides);
  expect(link).toMatch(/^https:\/\/shop\.example\/cart\?page=2&flagsvc-overrides=.*#top$/);
  expect(readOverrides({ url: link })).toEqual(overrides);
  expect(linkWithOverrides(link, {})).toBe('https://shop.example/cart?page=2#top');
});
