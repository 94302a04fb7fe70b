import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { createKeyboard } from './harness/keyboard.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });
const dialog = (page: Page) => page.getByRole('dialog');
async function choose(page: Page, entry: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'More for this flag' }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

test('variations and details share one draft, and what a freeze stops can be left out', async () => {
  const page = await at.open('admin', 'flags/delivery-promise?rules=staging', { theme: 'dark' });
  await page.getByRole('button', { name: 'Edit variations' }).click();
  const exact = dialog(page).getByRole('region', { name: 'Exact day' });
  await exact.getByRole('textbox', { name: 'Value' }).fill('{"show": "day",}');
  await exact.getByText('Line 1, column 16: a text in double quotes is expected, not }.').waitFor();
  await dialog(page).getByRole('button', { name: 'Remove Range of days' }).click();
  await dialog(page).getByText('Range of days is still used:').waitFor();
  await expectNoViolations(page);
  // A reload loses nothing that was typed, valid or not.
  await page.reload();
  await bar(page).getByText('{"show": "day",}').waitFor();
  expect(await bar(page).getByRole('button', { name: 'Save 1 change' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await page.getByRole('button', { name: 'Edit variations' }).click();
  await exact.getByRole('textbox', { name: 'Value' }).fill('{"show": "hour"}');
  await exact.getByRole('button', { name: 'Format' }).click();
  await dialog(page).getByRole('button', { name: 'Done' }).click();

  await choose(page, /Edit details/);
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Delivery promise 2');
  await expectNoViolations(page);
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { level: 1, name: 'Delivery promise 2' }).waitFor();
  await bar(page).getByText('The freeze “Peak week” stops this change').waitFor();
  await bar(page).getByRole('link', { name: 'Break glass' }).waitFor();
  await bar(page).getByRole('button', { name: 'Undo: Variation exact, value' }).click();
  await bar(page).getByRole('button', { name: 'Save 1 change' }).click();
  await bar(page).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Delivery promise', exact: true }).waitFor();
});

test('a loop of needed flags is refused in words, and another flag is added and saved', async () => {
  const page = await at.open('admin', 'flags/checkout-layout?rules=staging');
  const need = async (search: string, flag: RegExp) => {
    await page.getByRole('button', { name: 'Add a flag that is needed first' }).click();
    await dialog(page).getByRole('combobox', { name: 'Flag' }).fill(search);
    await page.getByRole('option', { name: flag }).click();
    await dialog(page)
      .getByRole('button', { name: /Must serve/ })
      .click();
    await page.getByRole('option', { name: 'On', exact: true }).click();
  };
  await need('express-pay', /Express pay buttons/);
  await dialog(page).getByText('checkout-layout needs express-pay-buttons needs checkout-layout.').waitFor();
  await expectNoViolations(page);
  await createKeyboard(page).expectFocus();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
  await need('cart-save', /Save cart for later/);
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('holds for everyone').nth(1).waitFor();
  await bar(page).getByText('Needs first').waitFor();
  await bar(page).getByRole('button', { name: 'Save 1 change' }).click();
  await bar(page).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'Save cart for later' }).waitFor({ state: 'hidden' });
});

test('a flag is marked as stale and kept, and its archiving says what stands in its way', async () => {
  const page = await at.open('admin', 'flags/cart-save');
  await choose(page, /^Mark as stale/);
  await dialog(page).getByRole('button', { name: 'Mark as stale' }).click();
  await page.getByText('Stale', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Stale', { exact: true }).waitFor({ state: 'hidden' });

  await choose(page, /^Archive/);
  await dialog(page).getByText('The freeze “Peak week” stops this change').waitFor();
  await dialog(page).getByText('SDKs still ask for this flag in').waitFor();
  expect(await dialog(page).getByRole('button', { name: 'Archive' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await expectNoViolations(page);
  await dialog(page).getByRole('link', { name: 'Break glass' }).click();
  await page.waitForURL(/freezes\?break-glass=new/);
});

test('a flag with a hostile name is archived, and deleted only after its key is typed', async () => {
  const path = new URL(at.shop.href('flags/name-1')).pathname.replace('/p/default/', '/p/long-names/');
  const page = await at.open('admin', path, { theme: 'dark', width: 390 });
  await choose(page, /^Archive/);
  await dialog(page).getByText('Nobody asks for it').waitFor();
  await expectNoViolations(page);
  await dialog(page).getByRole('button', { name: 'Archive' }).click();
  await page.getByText('This flag is archived. Restore it first.').waitFor();
  await choose(page, /^Delete for ever/);
  const question = page.getByRole('alertdialog');
  await question.getByRole('textbox').fill('name');
  expect(await question.getByRole('button', { name: 'Delete for ever' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await expectNoViolations(page);
  await question.getByRole('textbox').fill('name-1');
  await question.getByRole('button', { name: 'Delete for ever' }).click();
  await page.waitForURL(/\/flags(\?|$)/);
  await page.getByText(/is deleted$/).waitFor();
});

test('an editor kept from production reads why, and a viewer is offered nothing', async () => {
  const editor = await at.open('keptEditor', 'flags/checkout-layout?rules=staging');
  await editor.getByRole('button', { name: 'More for this flag' }).click();
  const details = editor.getByRole('menuitem', { name: /Edit details/ });
  expect(await details.getAttribute('aria-disabled')).toBe('true');
  await details.getByText('you may not change Production').waitFor();
  await editor.getByRole('menuitem', { name: /Only an admin deletes flags/ }).waitFor();
  await expectNoViolations(editor);

  const viewer = await at.open('viewer', 'flags/checkout-layout?rules=staging', { width: 390 });
  await viewer.getByText('Viewers can look, not change.').waitFor();
  expect(await viewer.getByRole('button', { name: /^(More for this flag|Edit|Add|Remove)/ }).count()).toBe(0);
  await expectNoViolations(viewer);
});
