import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('an admin makes a key, cannot leave by mistake before it is copied, rotates it and revokes it', async () => {
  const page = await at.open('admin', 'settings');
  await page.waitForURL(/settings\/project$/);
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  const form = page.getByRole('dialog', { name: 'New API key' });
  await expectNoViolations(form);
  await form.getByLabel('Name').fill('label-printer');
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: 'Key “label-printer” made' });
  const secret = (await card.locator('code').first().textContent())!;
  expect(secret).toMatch(/^sdk-dev-\w{20,}/);
  await expectNoViolations(page);

  await page
    .getByRole('navigation', { name: 'Pages' })
    .or(page.locator('aside'))
    .getByRole('link', { name: 'Changes' })
    .click();
  const question = page.getByRole('alertdialog', { name: 'Go on without the key?' });
  await expectNoViolations(question);
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(new URL(page.url()).pathname).toMatch(/settings\/api-keys$/);

  await page.request.get(`${at.shop.origin}/api/v1/sdk/ruleset`, { headers: { 'x-api-key': secret } });
  await card.getByText('The first request with this key arrived').waitFor();

  await page.getByRole('button', { name: 'Rotate label-printer in Development' }).click();
  await expectNoViolations(page.getByRole('dialog'));
  await page.getByRole('button', { name: 'Rotate the key' }).click();
  const next = page.getByRole('region', { name: 'New secret of “label-printer”' });
  const second = (await next.locator('code').first().textContent())!;
  expect(second).not.toBe(secret);
  const row = page.getByRole('row').filter({ hasText: 'label-printer' });
  await row.getByText('Old secret ends').waitFor();

  await page.getByRole('button', { name: 'Revoke label-printer in Development' }).click();
  const last = page.getByRole('alertdialog', { name: 'Revoke label-printer' });
  await expectNoViolations(last);
  await last.getByLabel(/to confirm/).fill(second.slice(-4));
  await last.getByRole('button', { name: 'Revoke the key' }).click();
  await row.waitFor({ state: 'detached' });
  const answer = await page.request.get(`${at.shop.origin}/api/v1/sdk/ruleset`, {
    headers: { 'x-api-key': second },
  });
  expect(answer.status()).toBe(401);
});

test('an editor sees no keys of production, and a viewer none at all', async () => {
  const page = await at.open('editor', 'settings/api-keys');
  await page.getByText('Only admins see the keys of Production').waitFor();
  await expectNoViolations(page);
  const other = await at.open('viewer', 'settings/api-keys');
  await other.getByText('Keys are for editors and admins').waitFor();
  await expectNoViolations(other);
});

test('an admin edits the project, keeps the edit after a reload, saves it and takes it back', async () => {
  const page = await at.open('admin', 'settings/project');
  const hint = page.getByLabel('Hint for a key that does not fit');
  const before = await hint.inputValue();
  await hint.fill('Begin with the team.');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
  await expectNoViolations(page);
  await page.reload();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await page.getByText('Project saved').waitFor();
  expect(await hint.inputValue()).toBe('Begin with the team.');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => hint.inputValue()).toBe(before);
});

test('a viewer reads the settings of the project and can change none', async () => {
  const page = await at.open('viewer', 'settings/project');
  await page.getByText('Only admins change the project').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
  await expectNoViolations(page);
});

test('a person who can open no project reaches the personal settings', async () => {
  const before = async (page: Page): Promise<void> => {
    await page.route(/\/api\/v1\/projects\?/, (route) =>
      route.fulfill({ json: { data: [], meta: { total: 0, page: 1, per_page: 200 } } }),
    );
  };
  const page = await at.open('editor', '/settings/profile', { before });
  await expectNoViolations(page);
  expect(
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents(),
  ).toEqual(expect.not.arrayContaining(['API keys']));
  await page.goto(at.shop.origin);
  await page.getByText('No project yet').waitFor();
  await page.getByRole('link', { name: 'Your settings' }).click();
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
});

test('on a phone the entry of the open page is in view in the settings navigation', async () => {
  const page = await at.open('editor', '/settings/tokens', { width: 390 });
  const entry = page.getByRole('navigation', { name: 'Settings' }).locator('[aria-current="page"]');
  await entry.waitFor();
  const { x, width } = (await entry.boundingBox())!;
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(390);
});
