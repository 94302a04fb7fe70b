import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectNoViolations, themes } from '../harness/browser.ts';
import { createKeyboard } from '../harness/keyboard.ts';
import type { ShopBrowser } from '../harness/visit-shop.ts';
import type { DialogVisit } from './dialog-visit.ts';

/** Messages at the edge of the page have these roles too. */
export const DIALOG = 'section[role=dialog], section[role=alertdialog]';
/** More than the controls of any dialog. */
const MOST_STEPS = 200;
/** A busy machine closes a dialog late. */
const PATIENCE_MS = 10_000;

/** Opens a dialog by keyboard, works through it and leaves it again. */
export async function visitDialog(at: ShopBrowser, visit: DialogVisit): Promise<void> {
  await visit.arrange?.(at);
  const page = await at.open(visit.as ?? 'admin', visit.path);
  await visit.prepare?.(page, at);
  const opener = await openDialog(page, visit);
  const dialog = page.locator(DIALOG).last();
  await dialog.waitFor();
  await expect
    .poll(() => hasFocus(dialog), { message: 'The focus goes into the dialog', timeout: PATIENCE_MS })
    .toBe(true);
  await expectTabStays(page, dialog);
  await expectNoViolations(page, themes, visit.ignored);
  await typeSomething(dialog);
  await leave(page, visit);
  if (visit.stays || visit.returns === false) return;
  if (opener === undefined) await createKeyboard(page).expectFocus();
  else
    await expect
      .poll(() => page.evaluate((one) => one === document.activeElement, opener), {
        message: 'The focus returns to what opened the dialog',
        timeout: PATIENCE_MS,
      })
      .toBe(true);
}

/** Returns the control that opened it. Undefined when the address did. */
export async function openDialog(page: Page, { press = [], keys }: DialogVisit) {
  if (keys !== undefined) {
    if (await isOnBody(page)) await page.getByRole('button', { name: 'Find or do' }).first().focus();
    const opener = await page.evaluateHandle(() => document.activeElement);
    await page.keyboard.press(keys);
    return opener;
  }
  let opener: Awaited<ReturnType<Locator['elementHandle']>> | undefined;
  for (const name of press) {
    const control = named(page, name);
    await control.focus();
    const isEntry = (await control.getAttribute('role')) === 'menuitem';
    if (!isEntry) opener = await control.elementHandle();
    const isSwitch = (await control.getAttribute('role')) === 'switch';
    await page.keyboard.press(isSwitch ? 'Space' : 'Enter');
  }
  return opener ?? undefined;
}

function named(page: Page, name: string | RegExp): Locator {
  const what = typeof name === 'string' ? { name, exact: true } : { name };
  return page
    .getByRole('button', what)
    .or(page.getByRole('menuitem', what))
    .or(page.getByRole('link', what))
    .or(page.getByRole('switch', what))
    .first();
}

const isOnBody = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement === document.body);

const hasFocus = (dialog: Locator): Promise<boolean> =>
  dialog.evaluate((element) => element.contains(document.activeElement));

/** Tab comes back to where it began, and was never outside. */
async function expectTabStays(page: Page, dialog: Locator): Promise<void> {
  await page.keyboard.press('Shift+Tab');
  expect(await hasFocus(dialog), 'Shift+Tab stays in the dialog').toBe(true);
  const last = await page.evaluateHandle(() => document.activeElement);
  for (let step = 0; step < MOST_STEPS; step++) {
    await page.keyboard.press('Tab');
    expect(await hasFocus(dialog), `Tab ${step + 1} stays in the dialog`).toBe(true);
    if (await page.evaluate((one) => one === document.activeElement, last)) return;
  }
  throw new Error('Tab does not go round in the dialog');
}

/** Types into the first field that takes text. */
async function typeSomething(dialog: Locator): Promise<void> {
  const field = dialog
    .locator('input:is([type=text], [type=password], [type=url], [type=email]), textarea')
    .first();
  if ((await field.count()) > 0 && (await field.isEditable())) await field.pressSequentially('ab');
}

/** Escape closes the dialog, or asks first because something would be lost. */
async function leave(page: Page, { stays }: DialogVisit): Promise<void> {
  const open = page.locator(DIALOG);
  const question = page.getByRole('alertdialog', { name: 'Close anyway?' });
  // In a field with choices, the first closes the list of them.
  const hasChoices = (await page.getByRole('listbox').count()) > 0;
  await page.keyboard.press('Escape');
  if (hasChoices) await page.keyboard.press('Escape');
  if (stays) return expect(await open.count()).toBe(1);
  await expect
    .poll(async () => (await open.count()) === 0 || (await question.isVisible()), { timeout: PATIENCE_MS })
    .toBe(true);
  if (await question.isVisible()) {
    await expect.poll(() => hasFocus(question)).toBe(true);
    await question.getByRole('button', { name: 'Close' }).press('Enter');
  }
  await expect.poll(() => open.count(), { message: 'The dialog closes', timeout: PATIENCE_MS }).toBe(0);
}
