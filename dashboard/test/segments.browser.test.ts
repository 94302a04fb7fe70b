import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD } from './shop/people.ts';

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
  // Production is frozen, so the review says so and leads to break-glass; nothing that was typed is lost.
  expect(await review.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  const address = page.url();
  await review.getByRole('link', { name: 'Break glass' }).click();
  const glass = page.getByRole('dialog', { name: /^Break glass in all of/ });
  await glass.getByLabel('What is happening').fill('Two testers must see the new checkout today.');
  await glass.getByLabel(/^Your password|^Password/).fill(PASSWORD);
  await glass.getByRole('button', { name: /^Break glass/ }).click();
  await glass.waitFor({ state: 'hidden' });
  await page.goto(address);
  await bar.getByRole('button', { name: /^Save/ }).click();
  await review.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Beta testers is saved').waitFor();
  await bar.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Restore' }).first().click();
  const restore = page.getByRole('dialog', { name: 'Restore this version?' });
  await restore.getByText('2 removed').waitFor();
  await expectNoViolations(page);
  await restore.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Beta testers is restored').waitFor();
}, 180_000);

test('a segment in use cannot be deleted, and shows the flags that use it', async () => {
  const admin = await at.shop.api('admin');
  const list = await admin.segments.list(at.shop.projectId, { per_page: 100 });
  const used = list.find(({ usage_count: count }) => count > 0)!;
  const page = await at.open('admin', `segments/${used.key}`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page
    .getByRole('dialog', { name: /is still in use$/ })
    .getByRole('link')
    .first()
    .waitFor();
  await expectNoViolations(page);
});

test('two people who change the same field see both versions, and keys of both are kept', async () => {
  const admin = await at.shop.api('secondAdmin');
  const [segment] = await admin.segments.list(at.shop.projectId, { per_page: 1 });
  const page = await at.open('admin', `segments/${segment!.key}`);
  await page.getByLabel('What it is for').fill('Mine');
  await page.getByRole('button', { name: 'Add keys' }).first().click();
  await page.getByLabel('Keys, one a line').fill('u-mine');
  await page.getByRole('button', { name: 'Add 1 key' }).click();
  await admin.segments.update(segment!.id, { description: 'Theirs', tags: ['theirs'] });
  await page.getByText('Somebody else changed the same').waitFor();
  await expectNoViolations(page);
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await page.getByRole('button', { name: 'Take their description' }).click();
  await page.getByText('Somebody else changed the same').waitFor({ state: 'hidden' });
  await bar.getByText('1 added').waitFor();
  expect(await page.getByLabel('What it is for').inputValue()).toBe('Theirs');
});

test('a viewer reads a segment, and nothing is offered that is refused', async () => {
  const page = await at.open('viewer', 'segments/newsletter');
  await page.getByText('10,000 keys').first().waitFor();
  await page.getByRole('searchbox').first().fill('u-109999');
  await page.getByText('u-109999').waitFor();
  await page.getByRole('button', { name: 'Add keys' }).waitFor({ state: 'detached' });
  await expectNoViolations(page);
});
