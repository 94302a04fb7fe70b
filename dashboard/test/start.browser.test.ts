import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('an admin finds what needs them, and each thing leads to its place', async () => {
  const page = await at.open('admin', '');
  await page.getByText('Webhook “Warehouse sync” is failing', { exact: true }).waitFor();
  await page.getByText('Review a break-glass by Sam Okafor', { exact: true }).waitFor();
  await page
    .getByText('A planned change of Pick a delivery hour falls into a freeze', { exact: true })
    .waitFor();
  await page.getByRole('link', { name: 'Stop new orders', exact: true }).waitFor();
  await page.getByText('shop-api').first().waitFor();
  await expectNoViolations(page);
  await page.getByRole('link', { name: /^See deliveries/ }).press('Enter');
  await page.waitForURL(/webhooks\/whk_/);
  await page.goBack();
  await page.getByRole('link', { name: /^Review ?:/ }).press('Enter');
  await page.waitForURL(/break-glass\/bgl_/);
});

test('what others change appears by itself', async () => {
  const page = await at.open('admin', '');
  await page.getByText('Changed today').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const api = (await at.shop.api('editor')).in(at.shop.environments.development);
  const { id } = await api.flags.getByKey('stop-new-orders');
  await api.flags.toggle(id, true);
  const entry = page.getByRole('listitem').filter({ hasText: /Jonas Weber switched .* on in Development/ });
  await entry.first().waitFor();
});

test('a viewer sees what they may, and is offered nothing that would be refused', async () => {
  const page = await at.open('viewer', '', { width: 390 });
  await page.getByText(/need/).first().waitFor();
  await page.getByRole('heading', { name: 'Apps connected' }).waitFor();
  expect(await page.getByText('Warehouse sync').count()).toBe(0);
  expect(await page.getByText('Review a break-glass').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Connect an app' }).count()).toBe(0);
  await expectNoViolations(page);
});

test('an editor kept from production connects an app in development, leaves, and comes back', async () => {
  const page = await at.open('keptEditor', '');
  await page.getByRole('button', { name: 'Connect an app' }).press('Enter');
  await page.getByRole('heading', { name: 'Get a key for Development' }).waitFor();
  await page.getByText(/^We have seen your SDK: sdk-node/).waitFor();
  await expectNoViolations(page);
  await page.reload();
  await page.getByRole('heading', { name: 'Watch a flag change in your app' }).waitFor();
  await page.getByRole('radio', { name: 'React' }).click();
  await page.getByRole('button', { name: 'Make a key for Development' }).click();
  await page.getByText('This key is shown only once').waitFor();
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Flags/ })
    .first()
    .click();
  const question = page.getByRole('alertdialog', { name: 'The key was not copied' });
  await question.waitFor();
  await expectNoViolations(question);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Leave for now' }).click();
  await page.getByRole('heading', { name: /^Good/ }).waitFor();
});

test('a server that fails says so, and a retry mends it', async () => {
  const page = await at.open('admin', '');
  await page.route('**/attention*', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.reload();
  await page.getByRole('alert').waitFor();
  await expectNoViolations(page);
  await page.unroute('**/attention*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Webhook “Warehouse sync” is failing', { exact: true }).waitFor();
});

test('a kill switch of the start page opens its question, which says why a freeze would refuse it', async () => {
  const page = await at.open('admin', '');
  await page.getByRole('link', { name: /^Switch off… ?: App: force update/ }).click();
  const question = page.getByRole('dialog', { name: 'Switch App: force update off in Production' });
  await question.getByText('Affected users').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL((url) => !url.searchParams.has('switch'));
  await page.goto(at.shop.href('flags/read-only-shop?rules=production&switch=production'));
  await page.getByRole('dialog').getByRole('link', { name: 'Break glass' }).waitFor();
  await expectNoViolations(page, ['light']);
});
