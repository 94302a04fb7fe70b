import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createKeyboard } from './harness/keyboard.ts';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD } from './shop/people.ts';

const at = visitShop();
const FLAG = 'iDEAL 2.0';
const WHY = 'The old iDEAL is down at the bank, so iDEAL 2.0 must take all payments.';

/** Opens a page or a flag from the palette, as a person does who knows its name only. */
async function find(page: Page, text: string, name: string): Promise<void> {
  const keys = createKeyboard(page);
  await page.keyboard.press('Control+K');
  const palette = page.getByRole('dialog', { name: /^Find/ });
  await palette.waitFor();
  await keys.expectFocus();
  await page.keyboard.type(text);
  const entry = palette.getByRole('menuitem', { name });
  await entry.waitFor();
  for (let step = 0; (await entry.getAttribute('data-focused')) === null; step++) {
    expect(step, `The arrow keys do not reach ${name}`).toBeLessThan(20);
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await keys.expectFocus();
}

const switchOf = (page: Page) => page.getByRole('region', { name: /^Production/ }).getByRole('switch');

/** Flips the flag in production, which asks first. */
async function flip(page: Page, action: 'Switch on' | 'Switch off'): Promise<void> {
  const keys = createKeyboard(page);
  await keys.press(switchOf(page));
  const question = page.getByRole('dialog');
  await question.waitFor();
  await keys.expectFocus();
  await keys.press(question.getByRole('button', { name: new RegExp(`^${action}`) }), 'Enter');
  await question.waitFor({ state: 'hidden' });
  expect(await switchOf(page).isChecked()).toBe(action === 'Switch on');
  await keys.expectFocus();
}

test('an emergency is ended by keyboard alone, through a freeze, and reviewed by another admin', async () => {
  const page = await at.open('admin', '');
  const keys = createKeyboard(page);
  await find(page, 'ideal', FLAG);
  await flip(page, 'Switch off');
  await page.getByText(`${FLAG} is off in Production`).waitFor();

  // Peak week lets everyone switch off, and nobody on.
  await expect.poll(() => switchOf(page).isDisabled()).toBe(true);
  await keys.expectFocus();
  const card = page.getByRole('region', { name: /^Production/ });
  await keys.press(card.getByRole('link', { name: 'Break glass' }), 'Enter');
  const glass = page.getByRole('dialog', { name: 'Break glass in Production' });
  await glass.waitFor();
  await keys.expectFocus();
  await keys.type(glass.getByLabel('What is happening'), WHY);
  await keys.type(glass.getByLabel('Your password'), PASSWORD);
  await page.keyboard.press('Enter');
  await glass.waitFor({ state: 'hidden' });
  await keys.expectFocus();

  await find(page, 'ideal', FLAG);
  await flip(page, 'Switch on');
  await page.getByText(`${FLAG} is on in Production`).waitFor();

  await find(page, 'freez', 'Freezes');
  await keys.press(page.getByRole('link', { name: WHY }), 'Enter');
  await keys.press(page.getByRole('button', { name: 'End it now' }));
  await page.getByText('another admin must review it').first().waitFor();
  await keys.expectFocus();

  const other = await at.open('secondAdmin', 'freezes');
  const theirs = createKeyboard(other);
  const row = other.getByRole('listitem').filter({ hasText: WHY });
  await theirs.press(row.getByRole('link', { name: 'Review' }), 'Enter');
  await other.getByText('payments-ideal-2').first().waitFor();
  await theirs.expectFocus();
  await theirs.reach(other.getByRole('radio', { name: /^Justified/ }));
  await other.keyboard.press('ArrowDown');
  await theirs.type(other.getByLabel('Note'), 'One flag was enough to ask for.');
  await theirs.press(other.getByRole('button', { name: 'Record the review' }), 'Enter');
  await other.getByText('Reviewed by Sam Okafor').waitFor();
  await other.getByText('Not justified').waitFor();
  await theirs.expectFocus();
}, 120_000);
