import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });

/** A form, and the text that its save changes. */
interface LeftForm {
  readonly name: string;
  readonly path: string;
  readonly write: RegExp;
  edit(page: Page, text: string): Promise<void>;
  save(page: Page): Promise<void>;
  /** Waits until the page shows the text as saved. */
  shows(page: Page, text: string): Promise<void>;
}

const forms: readonly LeftForm[] = [
  {
    name: 'a rule of a flag',
    path: 'flags/delivery-hour?rules=development',
    write: /\/api\/v1\/flags\/[^/?]+(\?|$)/,
    async edit(page, text) {
      await page.getByRole('button', { name: /^Edit Rule 1/ }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(text);
    },
    save: (page) => bar(page).getByRole('button', { name: /^Save/ }).click(),
    shows: (page, text) => page.getByRole('heading', { level: 3, name: text }).waitFor(),
  },
  {
    name: 'the settings of a project',
    path: 'settings/project',
    write: /\/api\/v1\/projects\/[^/?]+(\?|$)/,
    edit: (page, text) => page.getByRole('textbox', { name: 'Hint for a key that does not fit' }).fill(text),
    save: (page) => bar(page).getByRole('button', { name: /^Save/ }).click(),
    shows: (page, text) =>
      expect
        .poll(() => page.getByRole('textbox', { name: 'Hint for a key that does not fit' }).inputValue())
        .toBe(text),
  },
];

/** Holds the save until it is let go, and then reaches the server, or fails. */
async function holdSave(page: Page, write: RegExp) {
  let letGo = (_fails: boolean): void => {};
  const held = new Promise<boolean>((resolve) => {
    letGo = resolve;
  });
  const sent: string[] = [];
  await page.route(write, async (route) => {
    const request = route.request();
    if (request.method() === 'GET' || request.url().includes('dry_run=true')) return route.fallback();
    sent.push(request.method());
    return (await held) ? route.abort() : route.fallback();
  });
  return { sent, letGo };
}

test.each(forms)(
  'a person who goes back while $name is saved stays there, and finds it saved',
  async (form) => {
    const page = await at.open('admin', 'changes');
    await page.goto(at.shop.href(form.path));
    await form.edit(page, 'Saved behind the back');
    const { sent, letGo } = await holdSave(page, form.write);
    await form.save(page);
    await expect.poll(() => sent.length).toBe(1);
    await page.getByRole('link', { name: 'Segments', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
    letGo(false);
    await page.waitForTimeout(1_000);
    await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor({ timeout: 1_000 });
    await page.goBack();
    await form.shows(page, 'Saved behind the back');
    await bar(page).waitFor({ state: 'hidden' });
    expect(sent).toHaveLength(1);
  },
);

test.each(forms)('a save of $name that fails after its page was left keeps what was typed', async (form) => {
  const page = await at.open('admin', 'changes');
  await page.goto(at.shop.href(form.path));
  await form.edit(page, 'Kept behind the back');
  const { sent, letGo } = await holdSave(page, form.write);
  await form.save(page);
  await expect.poll(() => sent.length).toBe(1);
  await page.getByRole('link', { name: 'Segments', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
  letGo(true);
  await page.goBack();
  await bar(page).getByRole('button', { name: /^Save/ }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
  await page.goBack();
  await bar(page).getByText('Kept behind the back').first().waitFor();
});
