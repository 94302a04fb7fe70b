import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('an admin compares two environments by keyboard, promotes a part, and takes it back', async () => {
  const page = await at.open('admin', 'flags/checkout-layout?rules=development');
  await page.getByRole('button', { name: 'Compare and promote' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Development and Staging' });
  await dialog.getByText('What changes in Staging').waitFor();
  await dialog.getByText(/recorded users would get another variation/).waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('checkbox', { name: 'Rules', exact: true }).press('Space');
  await dialog.getByText('With these parts, nothing changes.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Promote to Staging' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await dialog.getByRole('checkbox', { name: 'Rules', exact: true }).press('Space');
  await dialog.getByRole('button', { name: 'Promote to Staging' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  const card = page.getByRole('region', { name: /^Staging/ });
  await card.getByText('Everyone gets').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await card.getByText('4 rules, otherwise').waitFor();
});

test('a freeze and a missing right are said before the click, and the link leads to the same comparison', async () => {
  const path = 'flags/checkout-layout?rules=staging&compare=staging..production';
  const page = await at.open('admin', path);
  const dialog = page.getByRole('dialog', { name: 'Staging and Production' });
  await dialog.getByRole('link', { name: 'Break glass' }).waitFor();
  const promote = dialog.getByRole('button', { name: 'Promote to Production' });
  expect(await promote.getAttribute('aria-disabled')).toBe('true');
  await dialog.getByRole('button', { name: 'Swap the environments' }).click();
  await page.waitForURL(/compare=production\.\.staging/);

  const viewer = await at.open('viewer', path, { width: 390 });
  const looked = viewer.getByRole('dialog', { name: 'Staging and Production' });
  await looked.getByText('What changes in Production').waitFor();
  expect(
    await looked.getByRole('button', { name: 'Promote to Production' }).getAttribute('aria-disabled'),
  ).toBe('true');
  await expectNoViolations(viewer);
});

test('evaluations are drawn with the changes that explain them, and the address keeps the time', async () => {
  const page = await at.open('viewer', 'flags/checkout-layout?rules=production');
  const times = page.getByRole('radiogroup', { name: 'Time' });
  await times.getByText('30 days').click();
  await page.waitForURL(/evaluations=30d/);
  await page.getByRole('table', { name: /last 30 days/ }).waitFor({ state: 'attached' });
  await page.locator('svg [data-series="1"] path').waitFor();
  const changes = page.getByRole('list', { name: 'Changes in this time' });
  await changes.getByText('Rule 1, split').waitFor();
  await expectNoViolations(page);
  await times.getByText('24 h').click();
  const table = page.getByRole('table', { name: /last 24 hours/ });
  await table.waitFor({ state: 'attached' });
  expect(await table.getByRole('row').count()).toBe(25);

  const empty = await at.open('admin', 'flags/search-by-photo?rules=production');
  await empty.getByText('No evaluations in this time').waitFor();
  await empty.getByRole('link', { name: 'API keys and snippets' }).waitFor();
});
