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
    await page.getByLabel(form.field).fill('While away');
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
    expect(await page.getByLabel(form.field).inputValue()).toBe('While away');
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
    await page.getByLabel(form.field).fill('Typed before');
    await (await at.shop.api('admin')).sessions.revokeOthers();
    await bar(page).getByRole('button', { name: /^Save/ }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel(/^Password/).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    expect(await page.getByLabel(form.field).inputValue()).toBe('Typed before');
    await form.save(page);
    await page.getByText(form.saved).first().waitFor();
    at.forget('admin');
  },
  60_000,
);

test('two people change the project: both versions are shown, and nothing that was typed is lost', async () => {
  const page = await at.open('admin', 'settings/project');
  const hint = page.getByLabel('Hint for a key that does not fit');
  await hint.fill('Mine');
  const other = await at.open('secondAdmin', 'settings/project');
  await other.getByLabel('Hint for a key that does not fit').fill('Theirs');
  await bar(other).getByRole('button', { name: 'Save 1 change' }).click();
  await other.getByText('Project saved').waitFor();
  await page.getByText('saved while you were editing').waitFor();
  await expectNoViolations(page, ['light']);
  await page.getByRole('button', { name: 'Save with these choices' }).click();
  await page.getByText('Project saved').waitFor();
  expect(await hint.inputValue()).toBe('Mine');
}, 60_000);

test('a freeze that begins while a segment is reviewed is said in the review, and the edit is kept until it ends', async () => {
  await thaw();
  const page = await at.open('admin', 'segments/new-customers');
  await page.getByLabel('What it is for').fill('Before the freeze');
  await bar(page).getByRole('button', { name: /^Save/ }).click();
  const review = page.getByRole('dialog', { name: 'Save these changes?' });
  const save = review.getByRole('button', { name: 'Save', exact: true });
  await expect.poll(() => save.isEnabled()).toBe(true);
  const api = await at.shop.api('secondAdmin');
  const { id } = await api.freezeWindows.create({
    name: 'Fire drill',
    scope: { project_ids: [at.shop.projectId] },
  });
  await save.click();
  await review.getByRole('link', { name: 'Break glass' }).waitFor();
  await expectNoViolations(page, ['light']);
  await api.freezeWindows.end(id, { comment: 'Over' });
  await page.keyboard.press('Escape');
  await review.waitFor({ state: 'hidden' });
  expect(await page.getByLabel('What it is for').inputValue()).toBe('Before the freeze');
  await forms[0]!.save(page);
  await page.getByText('is saved').first().waitFor();
}, 60_000);
