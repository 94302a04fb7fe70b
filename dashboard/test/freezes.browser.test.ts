import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD } from './shop/people.ts';

const at = visitShop();

test('an admin plans a freeze by keyboard, sees it in the calendar, and ends it', async () => {
  const page = await at.open('admin', 'freezes');
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'New window' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New window' });
  await dialog.getByLabel('Name', { exact: true }).fill('Stocktaking');
  await dialog.getByText('Until somebody ends it', { exact: true }).click();
  await dialog.getByText('Production: now, until somebody ends it.').waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Freeze now' }).press('Enter');
  await page
    .getByRole('link', { name: /^Stocktaking/ })
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'End early…' }).last().click();
  const question = page.getByRole('alertdialog', { name: /^End/ });
  await question.getByLabel('Why can it end?').fill('Counted.');
  await question.getByRole('button', { name: 'End it now' }).click();
  await question.waitFor({ state: 'hidden' });
});

test('an admin breaks glass, a short reason is refused, and another admin reviews it', async () => {
  const page = await at.open('admin', 'freezes?break-glass=new');
  const dialog = page.getByRole('dialog', { name: 'Break glass in Production' });
  await dialog.getByLabel('What is happening').fill('Orders drop.');
  await expectNoViolations(page);
  const submit = dialog.getByRole('button', { name: 'Break glass for 30 min' });
  await submit.press('Enter');
  await dialog
    .getByLabel('What is happening')
    .fill('The old iDEAL is down at the bank; I move iDEAL 2.0 to 100 %.');
  await dialog.getByLabel('Your password').fill('wrong');
  await submit.press('Enter');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await submit.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: /The old iDEAL is down/ }).click();
  await page.getByText('It can be reviewed once it has ended.').waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('another admin must review it').waitFor();
});

test('a session of another admin is reviewed from the list', async () => {
  const page = await at.open('admin', 'freezes');
  await page.getByRole('link', { name: 'Review' }).first().click();
  await page.waitForURL(/freezes\/break-glass\/bgl_/);
  await page.getByText('read-only-shop').first().waitFor();
  await expectNoViolations(page);
  await page.getByLabel('Note').fill('The graphs of the order database agree.');
  await page.getByRole('button', { name: 'Record the review' }).click();
  await page.getByText(/^Reviewed by/).waitFor();
});

test('a viewer sees the calendar, and why nothing can be done', async () => {
  const page = await at.open('viewer', 'freezes');
  await page
    .getByRole('link', { name: /^Peak week/ })
    .first()
    .waitFor();
  expect(await page.getByText('Broken glass').count()).toBe(0);
  // The focus of a keyboard shows the reason, as hovering does.
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'New window' }).focus();
  await page.getByRole('tooltip').getByText('Only an admin can do this.').waitFor();
  await expectNoViolations(page);
});

test('a phone shows the windows as a list', async () => {
  const page = await at.open('admin', 'freezes', { width: 390 });
  await page
    .getByRole('link', { name: /Weekends.*Fri/ })
    .first()
    .waitFor();
  await expectNoViolations(page);
});
