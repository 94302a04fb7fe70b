import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('an admin sees which webhook fails, what it answers, and sends a message of it again', async () => {
  const page = await at.open('admin', 'webhooks');
  await page.getByRole('link', { name: /Webhooks.*1 failing/ }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Warehouse sync' });
  await row.getByText(/Answers \d{3}/).waitFor();
  await expectNoViolations(page);
  await row.getByRole('link', { name: 'Warehouse sync' }).click();
  await page.getByText(/It fails: answers \d{3}/).waitFor();
  await page.getByRole('row').nth(1).waitFor();
  await expectNoViolations(page);
  await page.getByRole('row').nth(1).getByRole('link').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Attempt 1', { exact: true }).waitFor();
  await expectNoViolations(page);
  await drawer.getByRole('button', { name: 'Send it again' }).click();
  await page.getByText('The message is on its way').waitFor();
});

test('a webhook is made, shows its secret once, is changed, and is deleted by typing its host', async () => {
  const page = await at.open('admin', 'webhooks?open=new');
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await form.getByLabel('Address').fill('https://hooks.example.com/chat');
  await form.getByLabel('What is it for?').fill('Chat <b>bold</b> ‮ 🦆');
  await expectNoViolations(page);
  await form.getByRole('button', { name: 'Create webhook' }).click();
  const secret = page.getByRole('dialog', { name: 'The secret, shown this once' });
  expect(
    await secret
      .getByText(/whsec_/)
      .first()
      .textContent(),
  ).toMatch(/^whsec_/);
  await expectNoViolations(page);
  await secret.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('link', { name: /Chat <b>bold/ }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
  const edit = page.getByRole('dialog', { name: /^Edit Chat/ });
  await edit.getByLabel('What is it for?').fill('Chat of the night shift');
  await edit.getByRole('button', { name: 'Save 1 change' }).click();
  await page.getByRole('heading', { level: 1, name: 'Chat of the night shift' }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const question = page.getByRole('alertdialog', { name: /^Delete/ });
  await expectNoViolations(question);
  await question.getByRole('textbox').fill('hooks.example.com');
  await question.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('Chat of the night shift is deleted').waitFor();
  await page.waitForURL(/webhooks$/);
});

test('an invalid address cannot be sent, and what was typed survives a reload', async () => {
  const page = await at.open('admin', 'webhooks?open=new');
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await form.getByLabel('Address').fill('ftp://example.com');
  const create = form.getByRole('button', { name: 'Create webhook' });
  expect(await create.getAttribute('aria-disabled')).toBe('true');
  await page.reload();
  expect(await page.getByLabel('Address').inputValue()).toBe('ftp://example.com');
});

test('an editor learns that webhooks are for admins, and nothing is offered that is refused', async () => {
  const page = await at.open('editor', 'webhooks');
  await page.getByText('Webhooks are for admins').waitFor();
  await expectNoViolations(page);
  await page.goto(at.shop.href('webhooks/whk_00000000000000000000000000'));
  await page.getByText('Webhooks are for admins').waitFor();
});
