import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('an admin invites a person, passes the link on, sends it again and revokes it', async () => {
  const page = await at.open('admin', 'settings/members');
  await page.getByRole('row').filter({ hasText: 'Aiko Tanaka' }).getByText('Staging').waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Invite a member' });
  await form.getByLabel('E-mail').fill('not an address');
  await page.keyboard.press('Enter');
  await form.getByText(/must/i).first().waitFor();
  await expectNoViolations(page);
  await page.reload();
  expect(await form.getByLabel('E-mail').inputValue()).toBe('not an address');
  await form.getByLabel('E-mail').fill('mara@northwind.example');
  await page.keyboard.press('Enter');
  await form.getByRole('alert').waitFor();
  await form.getByLabel('E-mail').fill('guest@northwind.example');
  await page.keyboard.press('Enter');
  const link = page.getByRole('dialog', { name: 'Give this link to guest@northwind.example' });
  const first = (await link.locator('pre').textContent())!;
  expect(first).toContain('/accept-invitation#token=');
  await expectNoViolations(page);
  await link.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Send again: guest@northwind.example' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send again' }).click();
  expect(await link.locator('pre').textContent()).not.toBe(first);
  await link.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke: guest@northwind.example' }).click();
  await expectNoViolations(page.getByRole('alertdialog'));
  await page.getByRole('button', { name: 'Revoke the invitation' }).click();
  await page.getByRole('row').filter({ hasText: 'guest@northwind.example' }).waitFor({ state: 'detached' });
});

test('an admin keeps an editor from production, takes it back, and sees both versions of a conflict', async () => {
  const page = await at.open('admin', 'settings/members');
  const row = page.getByRole('row').filter({ hasText: 'Jonas Weber' });
  await page.getByRole('link', { name: 'Jonas Weber' }).click();
  const dialog = page.getByRole('dialog', { name: 'What Jonas Weber may do' });
  await dialog.getByText('Only these').click();
  await dialog.getByText('Production', { exact: true }).click();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Save 1 change' }).click();
  await row.getByText('Staging').waitFor();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await row.getByText('All environments').waitFor();

  await page.getByRole('link', { name: 'Jonas Weber' }).click();
  await dialog
    .getByText(/^Viewer/)
    .first()
    .click();
  const admin = await at.shop.api('admin');
  const jonas = (await admin.members.list(at.shop.organizationId)).find(
    ({ user }) => user.full_name === 'Jonas Weber',
  )!;
  await admin.members.update(at.shop.organizationId, jonas.id, {
    environment_ids: [at.shop.environments.development],
  });
  await dialog.getByText('saved while you were editing').waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Save with these choices' }).click();
  await row.getByText('Viewer').waitFor();
  await admin.members.update(at.shop.organizationId, jonas.id, { role: 'editor', environment_ids: null });
});

test('an editor reads who may change what, and is offered nothing that would be refused', async () => {
  const page = await at.open('editor', 'settings/members');
  await page.getByText('Only admins change roles').waitFor();
  expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
  await expectNoViolations(page);
  await page.goto(at.shop.href('settings/service-accounts'));
  await page.getByText('Service accounts are for admins').waitFor();
  await expectNoViolations(page);
});

test('an admin makes a service account and a token that works, rotates it, and deletes the account', async () => {
  const page = await at.open('admin', 'settings/service-accounts');
  await page.getByRole('button', { name: 'New service account' }).click();
  const form = page.getByRole('dialog', { name: 'New service account' });
  await form.getByLabel('Name', { exact: true }).fill('Deploys');
  await expectNoViolations(page);
  await form.getByRole('button', { name: 'Make the account' }).click();
  await page.getByRole('heading', { name: 'Deploys', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'New token' }).click();
  const token = page.getByRole('dialog', { name: 'New token' });
  await token.getByLabel('Name', { exact: true }).fill('Pipeline');
  await expectNoViolations(page);
  await token.getByRole('button', { name: 'Make the token' }).click();
  const shown = page.getByRole('dialog', { name: 'Token “Pipeline”' });
  const secret = (await shown.locator('pre').first().textContent())!;
  await expectNoViolations(page);
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  const me = (value: string) =>
    page.request.get(`${at.shop.origin}/api/v1/auth/me`, { headers: { authorization: `Bearer ${value}` } });
  expect((await me(secret)).status()).toBe(200);

  await page.getByRole('button', { name: 'Rotate Pipeline' }).click();
  const rotation = page.getByRole('dialog', { name: 'Rotate Pipeline' });
  await rotation.getByText(/^Now/).first().click();
  await rotation.getByRole('button', { name: 'Rotate the token' }).click();
  const second = (await shown.locator('pre').first().textContent())!;
  expect([(await me(secret)).status(), (await me(second)).status()]).toEqual([401, 200]);
  await shown.getByRole('button', { name: 'I have copied it' }).click();

  await page.getByRole('button', { name: 'More for Deploys' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const deletion = page.getByRole('alertdialog', { name: 'Delete Deploys' });
  await expectNoViolations(deletion);
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  await deletion.getByLabel(/to confirm/).fill(id.slice(-4));
  await deletion.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByRole('heading', { name: 'Service accounts', level: 1 }).waitFor();
  expect((await me(second)).status()).toBe(401);
});
