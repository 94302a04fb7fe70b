import { expect, test } from 'vitest';
import { CAPABILITIES } from '../../../reference-server/src/control-plane/features/instance/capabilities.ts';
import { allPages } from './all-pages.ts';

test('each sequence of keys opens one page', () => {
  const keys = allPages.flatMap((page) => page.keys ?? []);
  expect(keys.length).toBeGreaterThan(5);
  expect(new Set(keys).size).toBe(keys.length);
});

test('each capability of a page is one of the server, since an unknown name would hide nothing', () => {
  const named = allPages.flatMap(({ capability }) => capability ?? []);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !(name in CAPABILITIES))).toEqual([]);
});
