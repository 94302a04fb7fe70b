import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('a split is changed, previewed, saved and undone', async () => {
  const page = await at.open('admin', 'flags/checkout-layout?rules=staging');
  await page.getByRole('button', { name: 'Edit Rule 2, Pro customers in Benelux' }).click();
  await page.getByRole('textbox', { name: 'Share of one-page' }).fill('60');
  await page.keyboard.press('Tab');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText('Rule 2, split').waitFor();
  await page.getByText(/\d+ users? would get another variation/).waitFor();
  await expectNoViolations(page);
  await page.reload();
  await bar.getByRole('button', { name: 'Save 1 change' }).click();
  await bar.waitFor({ state: 'hidden' });
  await page.getByText('split: 60%').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('split: 40%').first().waitFor();
});

test('an address with a key that no flag can have says that the flag does not exist', async () => {
  const page = await at.open('viewer', 'flags/__proto__');
  await page.getByText('This flag does not exist here').waitFor();
});

test('a frozen environment says so before the click, and leads to break-glass', async () => {
  const page = await at.open('admin', 'flags/search-by-photo?rules=production');
  const card = page.getByRole('region', { name: /^Production/ });
  await card.getByText('Frozen: off or lower only').waitFor();
  expect(await card.getByRole('switch').isDisabled()).toBe(true);
  await card.getByRole('link', { name: 'Break glass' }).click();
  await page.waitForURL(/freezes\?break-glass=new/);
});

test('an editor kept from production and a viewer can look, and read why they cannot change anything', async () => {
  const editor = await at.open('keptEditor', 'flags/checkout-layout?rules=production');
  await editor.getByText('You may not change Production.').waitFor();
  expect(await editor.getByRole('button', { name: 'Add rule' }).count()).toBe(0);
  expect(await editor.getByRole('switch', { name: /in Production/ }).isDisabled()).toBe(true);
  expect(await editor.getByRole('switch', { name: /in Staging/ }).isDisabled()).toBe(false);

  const viewer = await at.open('viewer', 'flags/checkout-layout?rules=staging', { width: 390 });
  await viewer.getByText('Viewers can look, not change.').waitFor();
  expect(await viewer.getByRole('button', { name: /^(Add|Edit|Move|Restore)/ }).count()).toBe(0);
  await expectNoViolations(viewer);
});
