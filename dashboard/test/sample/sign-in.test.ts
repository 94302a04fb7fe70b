import { expect, test } from 'vitest';
import { expectNoViolations } from '../harness/browser.ts';
import { visitShop } from '../harness/visit-shop.ts';
import { PASSWORD, people } from '../shop/people.ts';

const at = visitShop();

test('a person signs in by keyboard and returns to the address that asked for it', async () => {
  const page = await at.openSignedOut('/signin');
  await page.goto(at.shop.href('changes?q=cart'));
  await page.waitForURL(/\/signin\?next=/);
  await expectNoViolations(page);
  await page.getByLabel('E-mail').fill(people.viewer.email);
  await page.keyboard.press('Tab');
  await page.getByLabel('Password').fill('not the password');
  await page.keyboard.press('Enter');
  await page.getByText('E-mail or password is wrong').waitFor();
  await expectNoViolations(page);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(/changes\?q=cart/);
  await page.getByRole('row').filter({ hasText: 'cart' }).first().waitFor();

  // No script can read the session.
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(stored).not.toMatch(/token|eyJ/i);
  expect(await page.evaluate(() => document.cookie)).toBe('');
});
