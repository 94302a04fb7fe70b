import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD } from './shop/people.ts';

const at = visitShop();

/** Names the first rule of the shown environment, and returns the bar that saves it. */
async function nameFirstRule(page: Page, name: string) {
  await page.getByRole('button', { name: /^Edit Rule 1/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByRole('button', { name: 'Save 1 change' }).waitFor();
  return bar;
}

test('two people edit one rule: both versions are shown, and nothing that was typed is lost', async () => {
  const path = 'flags/delivery-hour?rules=staging';
  const mine = await at.open('admin', path);
  await nameFirstRule(mine, 'Mine');
  const other = await at.open('keptEditor', path);
  const bar = await nameFirstRule(other, 'Theirs');
  await bar.getByRole('button', { name: 'Save 1 change' }).click();
  await mine.getByText('Aiko Tanaka saved while you were editing').waitFor();
  await expectNoViolations(mine);
  await mine.getByRole('button', { name: 'Save with these choices' }).click();
  await mine.getByText('1 change saved in Staging').waitFor();
  await other.getByRole('heading', { name: 'Mine' }).waitFor();
});

test('rules are added, moved and removed by keyboard alone', async () => {
  const page = await at.open('admin', 'flags/express-pay-buttons?rules=staging');
  await page.getByRole('button', { name: /^Move Rule 3/ }).focus();
  await page.keyboard.press('Home');
  await page.getByText('Now rule 1 of 3').waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(
    /^Move Rule 1/,
  );
  await page.getByRole('button', { name: 'Add rule' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Attribute of condition 1' }).focus();
  await page.keyboard.type('shoe_size');
  await page.keyboard.press('Tab');
  await page.getByRole('textbox', { name: 'Value of condition 1' }).focus();
  await page.keyboard.type('42');
  await page.getByText('If shoe_size is 42').waitFor();
  await page.getByRole('button', { name: 'More for Rule 2' }).first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  const save = page.getByRole('button', { name: 'Save 3 changes' });
  await save.focus();
  await page.keyboard.press('Enter');
  await page.getByText('3 changes saved in Staging').waitFor();
});

test('a rule that can never match says so in names, whether it is shadowed or contradicts itself', async () => {
  const page = await at.open('admin', 'flags/cart-save?rules=staging');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('combobox', { name: 'Attribute of condition 1' }).fill('country');
  await page.keyboard.press('Tab');
  await page.getByRole('textbox', { name: 'Value of condition 1' }).fill('NL');
  await page.getByText('Rule 1 takes all of its users first.').waitFor();
  await page.getByRole('button', { name: 'Condition', exact: true }).click();
  await page.getByRole('combobox', { name: 'Attribute of condition 2' }).fill('country');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: /Comparison of condition 2/ }).click();
  await page.getByRole('option', { name: 'is not', exact: true }).click();
  await page.getByRole('textbox', { name: 'Value of condition 2' }).fill('NL');
  await page.getByText('No user can have all of it at once: country is NL and country is not NL.').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a freeze that begins while the form is open is said before the click, and the edit is kept until it ends', async () => {
  const page = await at.open('admin', 'flags/pdp-bundles?rules=staging');
  const bar = await nameFirstRule(page, 'Before the freeze');
  const api = await at.shop.api('secondAdmin');
  const { id } = await api.freezeWindows.create({
    name: 'Fire drill',
    scope: { environment_ids: [at.shop.environments.staging] },
  });
  await bar.getByRole('link', { name: 'Break glass' }).waitFor();
  await bar.getByText('Your 1 change is kept.').first().waitFor();
  const save = bar.getByRole('button', { name: 'Save 1 change' });
  expect(await save.getAttribute('aria-disabled')).toBe('true');
  await bar.getByRole('button', { name: 'Schedule…' }).waitFor();
  await expectNoViolations(page);
  await api.freezeWindows.end(id, { comment: 'Over' });
  await bar.getByRole('link', { name: 'Break glass' }).waitFor({ state: 'hidden' });
  await save.click();
  await page.getByRole('heading', { name: 'Before the freeze' }).waitFor();
  await bar.waitFor({ state: 'hidden' });
});

test('a server that is away refuses the save in place, and takes the same edit when it is back', async () => {
  const page = await at.open('keptEditor', 'flags/account-passkeys?rules=staging');
  const bar = await nameFirstRule(page, 'While away');
  await page.route('**/api/v1/**', (route) => route.abort());
  await bar.getByRole('button', { name: 'Save 1 change' }).click();
  await bar.getByText('The server cannot be reached').waitFor();
  await bar
    .getByText(/Your 1 change is kept\./)
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('While away, typed on');
  await page.unroute('**/api/v1/**');
  await bar.getByRole('button', { name: 'Save 1 change' }).click();
  await page.getByText('1 change saved in Staging').waitFor();
  await page.getByRole('heading', { name: 'While away, typed on' }).waitFor();
});

test('a session that ends while a person types asks for the password over the page, and the edit is saved after it', async () => {
  const page = await at.open('editor', 'flags/help-assistant?rules=staging');
  const bar = await nameFirstRule(page, 'Typed before');
  await (await at.shop.api('editor')).sessions.revokeOthers();
  await bar.getByRole('button', { name: 'Save 1 change' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel(/^Password/).fill(PASSWORD);
  await expectNoViolations(page);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Typed before');
  await bar.getByRole('button', { name: 'Save 1 change' }).click();
  await page.getByText('1 change saved in Staging').waitFor();
});

test('switching off asks first in production, and at once elsewhere with an undo', async () => {
  const page = await at.open('admin', 'flags/cart-save');
  const flip = (name: RegExp) =>
    page
      .getByRole('region', { name })
      .locator('label')
      .filter({ has: page.getByRole('switch') })
      .click();
  await flip(/^Production/);
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/recorded users? gets? another variation/).waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await flip(/^Development/);
  await page.getByText('Save cart for later is off in Development').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Save cart for later is as before').waitFor();
});

test('a flag that does not exist says so, and a server that is away keeps the page usable', async () => {
  const page = await at.open('viewer', 'flags');
  await page.goto(at.shop.href('flags/no-such-flag'));
  await page.getByText('This flag does not exist here').waitFor();
  await page.route('**/api/v1/flags/by-key/**', (route) => route.abort());
  await page.goto(at.shop.href('flags/cart-drawer'));
  await page.getByText('The server cannot be reached').waitFor();
  await page.unroute('**/api/v1/flags/by-key/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cart drawer' }).waitFor();
});
