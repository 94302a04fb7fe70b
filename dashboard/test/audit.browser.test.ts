import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('an admin finds a change by its key, opens it, and a viewer can open its address', async () => {
  const page = await at.open('admin', 'changes');
  await page.getByRole('searchbox', { name: 'Search' }).fill('checkout-layout');
  await page.waitForURL(/q=checkout-layout/);
  const rows = page.getByRole('row').filter({ hasText: 'checkout-layout' });
  await rows.getByRole('link', { name: 'Flag created' }).click();
  const drawer = page.getByRole('dialog', { name: 'Flag created' });
  await drawer.getByRole('definition').getByText('Jonas Weber').waitFor();
  await expectNoViolations(page);

  const colleague = await at.open('viewer', '');
  await colleague.goto(page.url());
  await colleague.getByRole('dialog').getByRole('definition').getByText('Jonas Weber').waitFor();
});

test('filters that nothing fits say so and can be cleared', async () => {
  const page = await at.open('viewer', 'changes?q=no-such-thing');
  await page.getByText('Nothing fits these filters').waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await page.getByRole('row').nth(1).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('a server that cannot be reached leaves the page usable, and a second attempt works', async () => {
  const page = await at.open('keptEditor', 'changes');
  await page.getByRole('row').nth(1).waitFor();
  await page.route('**/api/v1/audit-log?*', (route) => route.abort());
  await page.getByRole('searchbox', { name: 'Search' }).fill('cart');
  await page.getByText('The server cannot be reached').waitFor();
  await expectNoViolations(page);
  await page.unroute('**/api/v1/audit-log?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('row').filter({ hasText: 'cart' }).first().waitFor();
});

test('an address of a change that does not exist says so in its place', async () => {
  const page = await at.open('viewer', 'changes?entry=evt_00000000000000000000000000');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});
