import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD } from './shop/people.ts';

// The page of a flag has the same in flag-saving.browser.test.ts.
const at = visitShop({ env: { FLAGSVC_RATE_LIMITS: 'auth=1000' } });

/** A page with a form, and how one of its fields is saved. */
interface FormPage {
  readonly name: string;
  readonly path: string;
  readonly field: string;
  /** Presses everything between the edit and the last button, which it returns. */
  save(page: Page): Promise<void>;
  readonly saved: string;
}

const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });

const forms: readonly FormPage[] = [
  {
    name: 'a segment',
    path: 'segments/new-customers',
    field: 'What it is for',
    async save(page) {
      const review = page.getByRole('dialog', { name: 'Save these changes?' });
      if (!(await review.isVisible())) await bar(page).getByRole('button', { name: /^Save/ }).click();
      await review.getByRole('button', { name: 'Save', exact: true }).click();
    },
    saved: 'is saved',
  },
  {
    name: 'the settings of a project',
    path: 'settings/project',
    field: 'Hint for a key that does not fit',
    save: (page) => bar(page).getByRole('button', { name: 'Save 1 change' }).click(),
    saved: 'Project saved',
  },
];

/** Ends every freeze, since none is wanted at the start. */
async function thaw(): Promise<void> {
  const api = await at.shop.api('secondAdmin');
  for (const { id } of await api.freezeWindows.list({ status: 'active' }))
    await api.freezeWindows.end(id, { comment: 'For the test' });
}

test.each(forms)(
  'a server that is away refuses $name in place, and takes the edit when it is back',
  async (form) => {
    await thaw();
    const page = await at.open('admin', form.path);
    await page.getByRole('textbox', { name: form.field }).fill('While away');
    await bar(page).waitFor();
    const isChange = /\/api\/v1\/(segments|projects)\/[^/]+(\?|$)/;
    await page.route(isChange, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort(),
    );
    await bar(page).getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The server cannot be reached').first().waitFor();
    await expectNoViolations(page, ['light']);
    await page.unroute(isChange);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('textbox', { name: form.field }).inputValue()).toBe('While away');
    await form.save(page);
    await page.getByText(form.saved).first().waitFor();
  },
  60_000,
);

test.each(forms)(
  'a session that ends during an edit of $name asks for the password and keeps it',
  async (form) => {
    await thaw();
    const page = await at.open('admin', form.path);
    await page.getByRole('textbox', { name: form.field }).fill('Typed before');
    await (await at.shop.api('admin')).sessions.revokeOthers();
    await bar(page).getByRole('button', { name: /^Save/ }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel(/^Password/).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    expect(await page.getByRole('textbox', { name: form.field }).inputValue()).toBe('Typed before');
    await form.save(page);
    await page.getByText(form.saved).first().waitFor();
    at.forget('admin');
  },
  60_000,
);

test('a session that ends while the review of an edit loads can be renewed in front of it', async () => {
  await thaw();
  const page = await at.open('admin', 'segments/new-customers');
  await page.getByRole('textbox', { name: 'What it is for' }).fill('Typed later');
  await bar(page).waitFor();
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/\/assets\/[^/]*\.js$/, async (route) => {
    await held;
    await route.fallback();
  });
  await bar(page).getByRole('button', { name: /^Save/ }).click();
  await (await at.shop.api('admin')).sessions.revokeOthers();
  const api = await at.shop.api('secondAdmin');
  const { id } = await api.freezeWindows.create({
    name: 'Fire drill',
    scope: { project_ids: [at.shop.projectId] },
  });
  await page.getByRole('alertdialog', { name: 'Sign in again to go on' }).waitFor();
  letGo();
  await page.getByText('Save these changes?').waitFor();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
  expect(await page.getByRole('dialog', { name: 'Save these changes?' }).isVisible()).toBe(true);
  await api.freezeWindows.end(id, { comment: 'Over' });
  at.forget('admin');
});
