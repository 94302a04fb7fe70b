import { expect, test } from 'vitest';
import { isForMembers, registeredPages } from './harness/registered-pages.ts';
import { visitPage } from './harness/visit-page.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop({
  keepsContexts: true,
  // More addresses in a minute than people open.
  env: { FLAGSVC_RATE_LIMITS: 'management=100000' },
});
const pages = (await registeredPages()).filter(isForMembers);

const NAMES = [
  ...['q', 'of', 'do', 'new', 'flag', 'entry', 'environment', 'show', 'sort', 'about', 'view', 'tag', 'from'],
  ...['status', 'state', 'kind', 'type', 'owner', 'role', 'page', 'month', '__proto__', 'constructor'],
];
const VALUES = [
  '1e400',
  '-0',
  '9007199254740993',
  'null',
  '"\\ud83d"',
  '{"__proto__":{"polluted":true}}',
  '["__proto__",{"a":1}]',
  `${'['.repeat(100)}${']'.repeat(100)}`,
  '<img src=x onerror=alert(1)>',
  'x'.repeat(500),
];

test.each(pages)('$id opens from an address that nobody wrote', async (definition) => {
  const { page } = await visitPage(at, definition);
  const address = new URL(page.url());
  // Each parameter gets each kind of value in one of the addresses of the pages.
  for (const turn of [0, 3, 6]) {
    const search = NAMES.map(
      (name, index) => `${name}=${encodeURIComponent(VALUES[(index + turn) % VALUES.length]!)}`,
    );
    await page.goto(`${address.origin}${address.pathname}?${search.join('&')}`);
    await page.locator('h1, [role=dialog]').first().waitFor();
    expect(await page.getByText('This page broke').count()).toBe(0);
    expect(await page.evaluate(() => 'polluted' in {})).toBe(false);
  }
});
