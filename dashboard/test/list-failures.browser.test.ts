import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addFlags } from './harness/add-flags.ts';
import { expectNoViolations } from './harness/browser.ts';
import type { Shop } from './harness/start-shop.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

/** The second page of a list answers 500 until the returned function is called. */
async function failSecondPage(page: Page, list: 'flags' | 'segments'): Promise<() => Promise<void>> {
  const url = new RegExp(`/api/v1/projects/[^/]+/${list}\\?(.*&)?page=2(&|$)`);
  const error = { code: 'INTERNAL_ERROR', message: 'The server failed.', details: {} };
  await page.route(url, (route) => route.fulfill({ status: 500, json: { error } }));
  return () => page.unroute(url);
}

/** More segments than one page of the API has. */
async function addSegments({ api, projectId }: Shop): Promise<void> {
  const admin = await api('admin');
  const segments = Array.from({ length: 210 }, (_, n) => ({
    key: `group-${n}`,
    name: `Group ${String(n).padStart(3, '0')}`,
    conditions: [],
    included: [],
    excluded: [],
  }));
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', segments };
  const { id } = await admin.unchecked.imports.create(projectId, { document });
  const { status } = await admin.unchecked.imports.apply(id, {}, { headers: { prefer: 'wait=120' } });
  expect(status).toBe('applied');
}

test('flags of a page that fails keep the others on the screen, and come with a second attempt', async () => {
  await addFlags(at.shop, 120);
  let mend: (() => Promise<void>) | undefined;
  const page = await at.open('admin', 'flags?sort=name', {
    before: async (one) => {
      mend = await failSecondPage(one, 'flags');
    },
  });
  await page.locator('tbody a').first().focus();
  await page.keyboard.press('End');
  const alert = page.getByRole('main').getByRole('alert');
  await alert.waitFor();
  await expectNoViolations(page, ['light']);
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('link', { name: 'Account look-up' }).or(page.locator('tbody a')).first().waitFor();
  await mend!();
  await page.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'hidden' });
  await page.locator('tbody a').first().focus();
  await page.keyboard.press('End');
  await page
    .getByRole('link', { name: /^Wish list/ })
    .first()
    .waitFor();
}, 60_000);

test('segments of a page that fails are said to be missing, and come with a second attempt', async () => {
  await addSegments(at.shop);
  let mend: (() => Promise<void>) | undefined;
  const page = await at.open('admin', 'segments', {
    before: async (one) => {
      mend = await failSecondPage(one, 'segments');
    },
  });
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await expectNoViolations(page, ['light']);
  await mend!();
  await retry.click();
  await page.getByRole('link', { name: 'Group 000' }).waitFor();
}, 60_000);

const select = async (page: Page, keys: readonly string[]): Promise<void> => {
  for (const key of keys)
    await page
      .locator('tbody tr[aria-rowindex]')
      .filter({ has: page.getByText(key, { exact: true }) })
      .getByRole('checkbox')
      .check();
};

const chooseTag = async (page: Page): Promise<void> => {
  await page
    .getByRole('region', { name: 'Selected flags' })
    .getByRole('button', { name: 'Add tags' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('combobox', { name: 'Tags' })
    .or(dialog.getByRole('textbox', { name: 'Tags' }))
    .fill('autumn');
  await page.keyboard.press('Enter');
};

test('an action that fails for one flag names it, and the others are changed', async () => {
  const page = await at.open('admin', 'flags?q=many-11&sort=name');
  await select(page, ['many-110', 'many-111', 'many-112']);
  await chooseTag(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 flags change').waitFor();
  const other = (await at.shop.api('secondAdmin')).in(at.shop.environments.development);
  const { id } = await other.flags.getByKey('many-111');
  await other.flags.archive(id);
  await dialog.getByRole('button', { name: /^Add tags to \d flags/ }).click();
  await dialog
    .getByText(/refused/)
    .first()
    .waitFor();
  await dialog.getByText('Many 0111').first().waitFor();
  await expectNoViolations(page, ['light']);
  const tagged = await other.unchecked.projects.listFlags(at.shop.projectId, { tag: 'autumn' });
  expect(tagged.map(({ key }) => key).toSorted()).toEqual(['many-110', 'many-112']);
}, 60_000);

test('an editor kept from production reads before the action which flags are refused, and why', async () => {
  const page = await at.open('keptEditor', 'flags?tag=search&sort=name');
  await select(page, ['search-typos', 'search-by-photo']);
  await chooseTag(page);
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText(/refused/)
    .first()
    .waitFor();
  await dialog
    .getByText(/Production/)
    .first()
    .waitFor();
  expect(await dialog.getByRole('button', { name: /^Add tags/ }).getAttribute('aria-disabled')).toBe('true');
  await expectNoViolations(page, ['light']);
});
