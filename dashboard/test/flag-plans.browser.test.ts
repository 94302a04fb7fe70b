import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

/** January or July of next year: the one when clocks in Amsterdam stand otherwise than now. */
function monthWithOtherClocks(): string {
  const clocksAt = (date: Date) =>
    date.toLocaleString('en', { timeZone: 'Europe/Amsterdam', timeZoneName: 'short' }).slice(-3);
  const [january, july] = ['01', '07'].map((month) => `${new Date().getFullYear() + 1}-${month}`);
  return clocksAt(new Date(`${january}-15`)) === clocksAt(new Date()) ? july! : january!;
}

test('an edit is planned instead of saved, moved to another zone, and the undo brings the edit back', async () => {
  const page = await at.open('admin', 'flags/checkout-layout?rules=staging');
  await page.getByRole('button', { name: 'Edit Rule 2, Pro customers in Benelux' }).click();
  await page.getByRole('textbox', { name: 'Share of one-page' }).fill('60');
  await page.keyboard.press('Tab');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByRole('button', { name: 'Schedule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Plan a change in Staging' });
  await dialog.getByText('Rule 2, split').waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await dialog.getByText(/^That is .* for you, .* UTC\.$/).waitFor();
  await dialog.getByLabel('Why').fill('While Japan sleeps');
  await dialog.getByRole('button', { name: 'Plan it' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await bar.waitFor({ state: 'hidden' });
  await page.getByText('“While Japan sleeps”').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('“While Japan sleeps”').waitFor({ state: 'hidden' });
  await bar.getByRole('button', { name: 'Save 1 change' }).waitFor();
});

test('a switch is planned by keyboard, and a shift of the clocks and a freeze at that time are said first', async () => {
  const page = await at.open('admin', 'flags/cart-save?rules=production');
  await page.getByRole('button', { name: 'Plan a change' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Plan a change in Production' });
  await dialog.getByText('Production is frozen then').waitFor();
  await dialog.getByText('Wait for the end of the freeze').waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Plan it for the end of the freeze' }).press('Enter');
  await dialog.getByText('Production is frozen then').waitFor({ state: 'hidden' });
  await dialog.getByLabel('When', { exact: true }).fill(`${monthWithOtherClocks()}-15T09:00`);
  await dialog.getByText(/^Clocks in Europe\/Amsterdam go (forward|back) before then$/).waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Plan it', exact: true }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: /^More for the change planned for/ }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const edit = page.getByRole('dialog', { name: 'Planned change in Production' });
  await edit.getByLabel('Why').fill('Summer');
  await edit.getByRole('button', { name: 'Save the plan' }).click();
  await page.getByText('“Summer”').waitFor();
  await page.getByRole('button', { name: /^More for the change planned for/ }).click();
  await page.getByRole('menuitem', { name: 'Cancel it' }).click();
  await page.getByText('Nothing is planned.').waitFor();
});

test('a time that is over is refused before the save', async () => {
  const page = await at.open('admin', 'flags/cart-save?rules=staging');
  await page.getByRole('button', { name: 'Plan a change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('When', { exact: true }).fill('2025-01-15T09:00');
  await dialog.getByText('Choose a time at least a minute from now.').first().waitFor();
  const plan = dialog.getByRole('button', { name: 'Plan it', exact: true });
  expect(await plan.getAttribute('aria-disabled')).toBe('true');
});

test('a plan that failed says why; run now is refused by the freeze in place, and leads to break-glass', async () => {
  const page = await at.open('admin', 'flags/payments-ideal-2?rules=production');
  await page.getByText('failed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run now…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run now in Production' });
  await dialog.getByText('Why it did not run').waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Run now in Production' }).press('Enter');
  await dialog.getByRole('alert').getByText('It has not run and stays in the list.').waitFor();
  await dialog.getByRole('link', { name: 'Break glass' }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('failed', { exact: true }).waitFor();
});

test('people who may only look see what is planned, and nothing to change it by', async () => {
  for (const person of ['keptEditor', 'viewer'] as const) {
    const page = await at.open(person, 'flags/payments-ideal-2?rules=production', { width: 390 });
    await page.getByText('failed', { exact: true }).waitFor();
    expect(
      await page.getByRole('button', { name: /Run now|Plan a change|^More for the change/ }).count(),
    ).toBe(0);
  }
});
