import { expect, test } from 'vitest';
import { compareKeys, parseKeys } from './keys.ts';

test('keys of a pasted text come once each, whatever separates them', () => {
  expect(parseKeys('﻿u-1\r\nu-2, u-3;u-1\n\n\tu 4 \n')).toEqual(['u-1', 'u-2', 'u-3', 'u 4']);
  expect(parseKeys(' \n,;')).toEqual([]);
});

test('two lists differ by what came and what went, in any order', () => {
  expect(compareKeys(['a', 'b', 'c'], ['c', 'd', 'a'])).toEqual({ added: 1, removed: 1 });
  expect(compareKeys([], [])).toEqual({ added: 0, removed: 0 });
});
