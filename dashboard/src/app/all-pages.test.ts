import { expect, test } from 'vitest';
import { allPages } from './all-pages.ts';

test('each sequence of keys opens one page', () => {
  const keys = allPages.flatMap((page) => page.keys ?? []);
  expect(keys.length).toBeGreaterThan(5);
  expect(new Set(keys).size).toBe(keys.length);
});
