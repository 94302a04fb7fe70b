import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addFlags } from './harness/add-flags.ts';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();
const row = (page: Page, key: string) =>
  page.locator('tbody tr[aria-rowindex]').filter({ has: page.getByText(key, { exact: true }) });
const count = (page: Page) => page.locator('search [role=status]').textContent();

test('a list scrolls through all flags by keys and keeps focus, place and row numbers', async () => {
  await addFlags(at.shop, 240);
  const page = await at.open('admin', 'flags?sort=name');
  const table = page.getByRole('table');
  await table.waitFor();
  const total = Number(await table.getAttribute('aria-rowcount')) - 1;
  expect(total).toBeGreaterThan(290);
  expect(await page.locator('tbody tr[aria-rowindex]').count()).toBeLessThan(80);
  await page.locator('tbody a').first().focus();
  await page.keyboard.press('End');
  const focusedRow = () =>
    page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex'));
  await expect.poll(focusedRow).toBe(String(total + 1));
  await page.keyboard.press('PageUp');
  await expect.poll(focusedRow).toBe(String(total - 14));
  const name = await page.evaluate(() => document.activeElement?.textContent);
  // The focused row stays in the document while the mouse scrolls elsewhere.
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, -100_000);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
  await page.keyboard.press('ArrowUp');
  await expect.poll(focusedRow).toBe(String(total - 15));
  const place = await page.evaluate(() => scrollY);
  expect(place).toBeGreaterThan(1_000);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /^Many|\w/ }).waitFor();
  await page.waitForURL(/flags\/[\w-]+/);
  await page.goBack();
  await table.waitFor();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(place);
});

test('one action on several flags is previewed, refused row by row, and undone', async () => {
  const page = await at.open('admin', 'flags?tag=search');
  for (const key of ['search-ranking-v3', 'search-typos', 'search-by-photo'])
    await row(page, key).getByRole('checkbox').check();
  const bar = page.getByRole('region', { name: 'Selected flags' });
  await bar.getByText('3 selected').waitFor();
  await expectNoViolations(page);
  await bar.getByRole('button', { name: 'Add tags' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('combobox', { name: 'Tags' })
    .or(dialog.getByRole('textbox', { name: 'Tags' }))
    .fill('quarter');
  await page.keyboard.press('Enter');
  await dialog.getByText('3 flags change').waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Add tags to 3 flags' }).click();
  await page.getByText('3 flags changed').waitFor();
  expect(await bar.count()).toBe(0);
  const admin = (await at.shop.api('admin')).in(at.shop.environments.development);
  const tagged = async () =>
    (await admin.unchecked.projects.listFlags(at.shop.projectId, { tag: 'quarter' })).length;
  expect(await tagged()).toBe(3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('3 flags are as before').waitFor();
  expect(await tagged()).toBe(0);
});

test('a freeze refuses rows before and after the action, and leads to break-glass', async () => {
  const page = await at.open('admin', 'flags?q=search&sort=name');
  await page.getByRole('checkbox', { name: /^Select all/ }).click();
  await page.getByRole('checkbox', { name: /^Select all/, checked: true }).waitFor();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText(/refused/)
    .first()
    .waitFor();
  await dialog.getByRole('link', { name: 'Break glass' }).waitFor();
  await expectNoViolations(page);
});

test('filters, order and owner are in the address; nothing found says so; a viewer cannot select', async () => {
  const page = await at.open('viewer', 'flags');
  await page.getByRole('table').waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await page.getByRole('button', { name: 'Flag', exact: true }).click();
  await page.waitForURL(/sort=name/);
  expect(await page.getByRole('columnheader', { name: 'Flag' }).getAttribute('aria-sort')).toBe('ascending');
  await page.getByRole('button', { name: 'Owner', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Jonas Weber' }).click();
  await page.waitForURL(/owner=usr_/);
  const rows = page.locator('main tbody tr[aria-rowindex]');
  await rows.filter({ hasText: 'Aiko' }).first().waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'Jonas' }).first().waitFor();
  await page.getByRole('button', { name: 'Owner: Jonas Weber' }).click();
  await page.getByRole('menuitem', { name: 'Me', exact: true }).click();
  await page.waitForURL(/owner=me/);
  await page.keyboard.press('/');
  await page.keyboard.type('nosuchflag');
  await page.getByText('Nothing fits these filters').waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await page.getByRole('table').waitFor();
  expect(await count(page)).toMatch(/flags, by name/);
});

test('a phone finds a flag, names its environments, and opens the one to switch', async () => {
  const page = await at.open('admin', 'flags?q=guest', { width: 390 });
  const flag = row(page, 'guest-checkout');
  await flag.waitFor();
  await expectNoViolations(page);
  await flag.getByRole('link', { name: /Production/ }).click();
  await page.waitForURL(/flags\/guest-checkout\?environment=production/);
  await page.getByRole('switch', { name: /in Production/ }).waitFor();
});

test('filters are saved as a view, columns are hidden, and both are there on the next visit', async () => {
  const page = await at.open('editor', 'flags?tag=search&sort=name');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('My search');
  await expectNoViolations(page);
  await page.keyboard.press('Enter');
  const view = page.getByRole('link', { name: 'My search' });
  await view.waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('dialog').getByText('Owner').click();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('columnheader', { name: 'Owner' }).count()).toBe(0);
  await page.goto(at.shop.href('flags'));
  await view.click();
  await page.waitForURL(/tag=search/);
  expect(await view.getAttribute('aria-current')).toBe('page');
  expect(await page.getByRole('columnheader', { name: 'Owner' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Remove view' }).click();
  await expect.poll(() => view.count()).toBe(0);
});
