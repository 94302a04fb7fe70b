import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('an admin copies an environment, moves it by keys, archives it, restores it and deletes it', async () => {
  const page = await at.open('admin', 'settings/environments');
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'New environment' }).click();
  const form = page.getByRole('dialog', { name: 'New environment' });
  await form.getByLabel('Name', { exact: true }).fill('Load test');
  await form.getByRole('button', { name: /Start from/ }).click();
  await page.getByRole('option', { name: 'A copy of Staging' }).click();
  await expectNoViolations(page);
  await form.getByRole('button', { name: 'Make the environment' }).click();
  const list = page.getByRole('list', { name: 'Environments in their order' });
  await list.getByText('load-test').waitFor();

  await page.getByRole('button', { name: 'Move Load test' }).focus();
  await page.keyboard.press('Home');
  await expect.poll(() => list.locator('code').first().textContent()).toBe('load-test');
  const admin = await at.shop.api('admin');
  await expect
    .poll(async () => (await admin.environments.listOf(at.shop.projectId))[0]!.key)
    .toBe('load-test');

  await page.getByRole('button', { name: 'Actions for Load test' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  const archiving = page.getByRole('alertdialog', { name: 'Archive Load test' });
  await archiving.getByText('No API key is in use here').waitFor();
  await expectNoViolations(page);
  await archiving.getByRole('button', { name: 'Archive' }).click();
  await list.getByText('load-test').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await list.getByText('load-test').waitFor();
  await page.goto(at.shop.href('settings/environments?do=archive&about=load-test'));
  await archiving.getByRole('button', { name: 'Archive' }).click();
  await archiving.waitFor({ state: 'detached' });
  await page.goto(at.shop.href('settings/environments?show=archived'));
  await page.getByRole('button', { name: 'Delete for ever: Load test' }).click();
  const deletion = page.getByRole('alertdialog', { name: 'Delete Load test for ever' });
  await expectNoViolations(deletion);
  await deletion.getByLabel(/to confirm/).fill('load-test');
  await deletion.getByRole('button', { name: 'Delete for ever' }).click();
  await page.getByText('Nothing is archived').waitFor();
});

test('during a freeze the dialog says so, and shows the refusal in place', async () => {
  const page = await at.open('admin', 'settings/environments?do=archive&about=production');
  const dialog = page.getByRole('alertdialog', { name: 'Archive Production' });
  await dialog.getByText('Production is frozen').waitFor();
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
  await dialog.getByText('Not saved: this environment is frozen').waitFor();
  await expectNoViolations(page);
});

test('a viewer and an editor kept from production read the environments, with the reason', async () => {
  const page = await at.open('viewer', 'settings/environments');
  await page.getByText('Viewers look at environments').waitFor();
  expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
  await expectNoViolations(page);
  const kept = await at.open('keptEditor', 'settings/environments?do=new');
  await kept.getByText(/^You may not change Production/).waitFor();
  expect(await kept.getByRole('dialog').count()).toBe(0);
});

test('a hundred short-lived environments are found by name, arranged by type and pinned', async () => {
  const admin = await at.shop.api('admin');
  const environments = Array.from({ length: 110 }, (_, index) => ({
    key: `preview-${index}`,
    name: `Preview ${index}`,
    type: 'development' as const,
  }));
  const project = await admin.projects.create({ key: 'previews', name: 'Previews', environments });
  const page = await at.open('admin', 'settings/projects');
  await page.getByRole('row').filter({ hasText: 'Previews' }).getByText('110').waitFor();
  await page.goto(`${at.shop.origin}/o/${at.shop.organizationId}/p/${project.key}/settings/environments`);
  await page.getByRole('heading', { name: 'Development', exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Name or key' }).fill('preview-107');
  await page.getByRole('button', { name: 'Pin Preview 107' }).click();
  await page.getByRole('heading', { name: 'Pinned' }).waitFor();
  await page.getByRole('radio', { name: 'Preview 107' }).waitFor();
  await expectNoViolations(page);
});

test('an admin makes a project and works in it, archives it and restores it', async () => {
  const page = await at.open('admin', 'settings/projects');
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'New project' }).click();
  const form = page.getByRole('dialog', { name: 'New project' });
  await form.getByLabel('Name', { exact: true }).fill('Store front');
  await form.getByLabel('Key', { exact: true }).fill('storefront-2');
  await expectNoViolations(page);
  await form.getByRole('button', { name: 'Make the project' }).click();
  await page.waitForURL(/\/p\/storefront-2$/);
  await page.goto(`${at.shop.origin}/o/${at.shop.organizationId}/p/storefront-2/settings/projects`);
  await page.getByRole('button', { name: 'Actions for Store front' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await expectNoViolations(page.getByRole('alertdialog'));
  await page.getByRole('button', { name: 'Archive the project' }).click();
  await page.waitForURL((url) => !url.pathname.includes('storefront-2'));
  await page.getByRole('row').filter({ hasText: 'Store front' }).waitFor({ state: 'detached' });
  await page.goto(at.shop.href('settings/projects?do=new'));
  await form.getByLabel('Name', { exact: true }).fill('Again');
  await form.getByLabel('Key', { exact: true }).fill('storefront-2');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'To the archived projects' }).click();
  await page.getByRole('button', { name: 'Restore: Store front' }).click();
  await expectNoViolations(page.getByRole('alertdialog'));
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Nothing is archived').waitFor();
});
