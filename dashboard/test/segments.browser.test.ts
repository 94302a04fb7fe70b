import { test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('keys added to a segment survive a reload, and are reviewed before they are saved', async () => {
  const page = await at.open('admin', 'segments?q=beta');
  await expectNoViolations(page);
  await page.getByRole('link', { name: 'Beta testers' }).click();
  await page.getByRole('heading', { name: 'Always in' }).waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Add keys' }).first().click();
  const adding = page.getByRole('dialog', { name: 'Add keys: Always in' });
  await adding.getByLabel('Keys, one a line').fill('u-900001\nu-900002, u-900001');
  await expectNoViolations(page);
  await adding.getByRole('button', { name: 'Add 2 keys' }).click();
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText('2 added').waitFor();
  await page.reload();
  await bar.getByText('2 added').waitFor();
  await bar.getByRole('button', { name: /^Save/ }).click();
  const review = page.getByRole('dialog', { name: 'Save these changes?' });
  await review.getByText('2 added').waitFor();
  await expectNoViolations(page);
});

test('a viewer reads a segment, and nothing is offered that is refused', async () => {
  const page = await at.open('viewer', 'segments/newsletter');
  await page.getByText('10,000 keys').first().waitFor();
  await page.getByRole('searchbox').first().fill('u-109999');
  await page.getByText('u-109999').waitFor();
  await page.getByRole('button', { name: 'Add keys' }).waitFor({ state: 'detached' });
  await expectNoViolations(page);
});
