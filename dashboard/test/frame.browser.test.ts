import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test.each([
  ['at 200 % zoom', { width: 720 }],
  ['on a phone', { width: 390 }],
  ['in forced colours', { forcedColors: true }],
  ['with reduced motion', { reducedMotion: true }],
])('%s, nothing is cut off and the palette opens by keyboard and gives the focus back', async (_, look) => {
  const page = await at.open('admin', 'changes?q=zzz', look);
  const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
  expect(isWider).toBe(false);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true);
});

test('the palette and the list of shortcuts have no fault that axe finds', async () => {
  const page = await at.open('viewer', 'changes?q=zzz');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('searchbox').fill('changes');
  await expectNoViolations(page);
  // The first Escape clears the search, the second closes.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await expectNoViolations(page);
});

test('a page that opens while the server restarts says so, waits for it, and signs nobody out', async () => {
  let isAway = true;
  const calls: string[] = [];
  const page = await at.open('admin', 'changes?q=zzz', {
    before: async (page) => {
      await page.route(/\/\/[^/]+\/auth\//, (route) => {
        calls.push(new URL(route.request().url()).pathname);
        return isAway
          ? route.fulfill({ status: 503, json: { error: { code: 'UNAVAILABLE' } } })
          : route.fallback();
      });
      void page
        .getByText('The server cannot be reached')
        .waitFor()
        .then(() => {
          isAway = false;
        });
    },
  });
  await page.getByRole('heading', { level: 1, name: 'Changes' }).waitFor();
  expect(new Set(calls)).toEqual(new Set(['/auth/refresh']));
  expect(calls.length).toBeGreaterThan(1);
});

test('a menu opens by keyboard and by pointer, runs its action, and gives the focus back', async () => {
  const page = await at.open('viewer', 'changes?q=zzz');
  const button = page.getByRole('button', { name: /Storefront$/ });
  await button.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitem', { name: /Storefront/ }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('menuitem');
  await expectNoViolations(page);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  await page
    .getByRole('complementary')
    .getByRole('button', { name: /Viewer/ })
    .click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/signin/);
});
