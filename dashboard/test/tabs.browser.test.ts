import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD, type PersonKey, people } from './shop/people.ts';

// Ten sign-ins a minute are the default; these tests need more.
const at = visitShop({ env: { FLAGSVC_RATE_LIMITS: 'auth=1000' } });

const PROFILE = '/settings/profile';
const name = (page: Page) => page.getByLabel('Your name');

async function signIn(page: Page, person: PersonKey): Promise<void> {
  await page.getByLabel('E-mail').fill(people[person].email);
  await page.locator('[name=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

async function openTab(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(new URL(path, at.shop.origin).href);
  await page.locator('h1').first().waitFor();
  return page;
}

const stored = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

test('a tab of one person saves nothing for another who signs in in another tab', async () => {
  const page = await at.openSignedOut(`/signin?next=${PROFILE}`);
  await signIn(page, 'viewer');
  await name(page).fill('Typed by Noor');
  const second = await openTab(page.context(), `/signin?next=${PROFILE}`);
  await signIn(second, 'keptEditor');
  await expect.poll(() => name(second).inputValue()).toBe(people.keptEditor.name);

  // Noor's own session ends; the cookie of the browser is Aiko's.
  await (await at.shop.api('viewer')).sessions.revokeOthers();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.waitFor();
  const aiko = await (await at.shop.api('keptEditor')).auth.me();
  expect(aiko.full_name).toBe(people.keptEditor.name);

  // What was typed is still there, only for Noor.
  await dialog.locator('[name=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await name(page).inputValue()).toBe('Typed by Noor');
  await page.reload();
  await expect.poll(() => name(page).inputValue()).toBe('Typed by Noor');
  await second.reload();
  await second.getByRole('heading', { name: 'Profile' }).waitFor();
  await expect.poll(() => name(second).inputValue()).toBe(people.viewer.name);
});

test('nothing of a person is left in the tabs after a sign-out', async () => {
  const page = await at.openSignedOut(`/signin?next=${PROFILE}`);
  await signIn(page, 'viewer');
  const second = await openTab(page.context(), PROFILE);
  for (const tab of [page, second]) await name(tab).fill('Typed by Noor');
  expect(await stored(page)).toContain('Typed by Noor');
  expect(await stored(page)).not.toMatch(/eyJ|rt_|token|Bearer/);
  await page.getByRole('button', { name: /Noor de Vries/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const tab of [page, second]) {
    await tab.waitForURL(/\/signin/);
    expect(await stored(tab)).not.toContain('Noor');
  }
  await page.goto(new URL(PROFILE, at.shop.origin).href);
  await page.getByLabel('E-mail').waitFor();
  await signIn(second, 'keptEditor');
  await expect.poll(() => name(second).inputValue()).toBe(people.keptEditor.name);
  expect(await second.getByText('Noor').count()).toBe(0);
});

test('drafts of a session that ended appear only to their author', async () => {
  const page = await at.openSignedOut(`/signin?next=${PROFILE}`);
  for (const [person, typed] of [
    ['viewer', 'Typed by Noor'],
    ['viewer', 'Typed by Noor'],
    ['keptEditor', people.keptEditor.name],
  ] as const) {
    await signIn(page, person);
    await expect.poll(() => name(page).inputValue()).toContain(person === 'viewer' ? 'Noor' : typed);
    await name(page).fill(typed);
    await page.context().clearCookies();
    await page.reload();
    await page.waitForURL(/\/signin/);
  }
  expect(await stored(page)).not.toContain('Noor');
});

test('a sign-out that the server refuses says that the person is still signed in', async () => {
  const page = await at.open('viewer', PROFILE);
  await page.route('**/auth/logout', (route) => route.abort());
  await page.getByRole('button', { name: /Noor de Vries/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByText(/You are still signed in/).waitFor();
  expect(await name(page).inputValue()).toBe(people.viewer.name);
});
