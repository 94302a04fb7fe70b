import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, expect, test, vi } from 'vitest';
import { openDatabase } from '../../reference-server/src/storage/open-database.ts';
import { isOnPostgres } from '../../reference-server/test/database.ts';
import { startMailServer } from '../../reference-server/test/mail-server.ts';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD, people } from './shop/people.ts';

const mail = await startMailServer();
const at = visitShop({
  env: {
    FLAGSVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    FLAGSVC_MAIL_FROM: 'flags@northwind.example',
    FLAGSVC_RATE_LIMITS: 'auth=1000',
  },
});
afterAll(() => mail.close());

/** The path of the link in the latest mail to an address that has one like it. */
const linkTo = (pattern: RegExp, address: string): Promise<string> =>
  vi.waitFor(
    () => {
      // Quoted-printable cuts long lines with an equals sign.
      const texts = mail.received
        .filter(({ to }) => to.includes(address))
        .map(({ source }) => source.replaceAll('=\r\n', '').replaceAll('=3D', '='));
      const links = texts.flatMap((text) => text.match(/http:\/\/localhost:\d+\/[\w./~#=-]+/g) ?? []);
      const link = links.findLast((one) => pattern.test(one));
      if (link === undefined) throw new Error(`no mail to ${address} has a link like ${pattern}`);
      expect(new URL(link).origin).toBe(at.shop.origin);
      return link.slice(at.shop.origin.length);
    },
    { timeout: 20_000, interval: 100 },
  );

/** Ends the time in which the links of all mails work. */
async function expireLinks(table: 'invitations' | 'password_resets'): Promise<void> {
  const db = await openDatabase(at.shop.databaseUrl);
  await db.transaction().execute(async (tx) => {
    if (isOnPostgres)
      await sql`select set_config('flagsvc.organization', ${at.shop.organizationId}, true)`.execute(tx);
    const past = new Date(Date.now() - 1_000).toISOString();
    const { numUpdatedRows } = await tx.updateTable(table).set({ expires_at: past }).executeTakeFirst();
    expect(Number(numUpdatedRows)).toBeGreaterThan(0);
  });
  await db.destroy();
}

const invite = async (email: string): Promise<string> => {
  const api = await at.shop.api('admin');
  await api.invitations.create(at.shop.organizationId, { email, role: 'viewer' });
  return linkTo(/\/accept-invitation#token=/, email);
};

async function join(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Guest');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join Northwind Market' }).click();
}

/** The page says that the invitation is over and what to do, before anybody types a password. */
async function expectOver(page: Page): Promise<void> {
  const alert = page.getByRole('alert');
  await alert.getByText('This invitation no longer works').waitFor();
  await alert.getByText('Ask for a new one').waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
  await expectNoViolations(page);
}

test('the link of an invitation joins once; used, expired and foreign links say what to do', async () => {
  const link = await invite('guest@northwind.example');
  const page = await at.openSignedOut(link);
  await page.getByText('Mara Lindqvist invites guest@northwind.example as a viewer.').waitFor();
  await join(page);
  await page.waitForURL('**/o/**');
  await expectOver(await at.openSignedOut(link));
  await expectOver(await at.openSignedOut(`${link.slice(0, -6)}abcdef`));
  const late = await invite('late@northwind.example');
  await expireLinks('invitations');
  await expectOver(await at.openSignedOut(late));
});

async function askForReset(email: string): Promise<string> {
  const before = mail.received.length;
  const page = await at.openSignedOut('/forgot-password');
  await page.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  await vi.waitFor(() => expect(mail.received.length).toBeGreaterThan(before), { timeout: 20_000 });
  return linkTo(/\/reset-password#token=/, email);
}

async function reset(page: Page): Promise<void> {
  await page.getByLabel('New password').fill('another sentence of mine');
  await page.keyboard.press('Enter');
}

test('the link of a reset sets a password once; used and expired links lead to a new mail', async () => {
  const { email } = people.viewer;
  const link = await askForReset(email);
  const page = await at.openSignedOut(link);
  await reset(page);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.locator('[name=password]').fill('another sentence of mine');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/o/**');
  const late = await askForReset(email);
  await expireLinks('password_resets');
  for (const old of [link, late]) {
    const again = await at.openSignedOut(old);
    await reset(again);
    await again.getByRole('alert').getByText('This link no longer works').waitFor();
    await expectNoViolations(again);
    await again.getByRole('link', { name: 'Forgot your password' }).click();
    await again.getByRole('heading', { name: 'Forgot your password' }).waitFor();
  }
});

test('the link to a break-glass session asks to sign in, ends on its review, and says who may review', async () => {
  const api = await at.shop.api('admin');
  const { id } = await api.breakGlass.open({
    scope: { environment_ids: [at.shop.environments.production] },
    justification: 'The payments of the bank fail, so I move them.',
    duration_minutes: 15,
  });
  await api.breakGlass.close(id);
  const link = await linkTo(new RegExp(`/break-glass/${id}$`), people.secondAdmin.email);
  const page = await at.openSignedOut(link);
  await page.getByLabel('E-mail').fill(people.secondAdmin.email);
  await page.locator('[name=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('The payments of the bank fail, so I move them.').waitFor();
  expect(new URL(page.url()).pathname).toBe(link);
  await page.getByLabel('Note').fill('The bank confirmed it.');
  await page.getByRole('button', { name: 'Record the review' }).click();
  await page.getByText('Reviewed by Sam Okafor').waitFor();

  const editor = await at.open('editor', link);
  await editor.getByText(/admin/i).first().waitFor();
  expect(await editor.getByRole('button', { name: 'Record the review' }).count()).toBe(0);
  await expectNoViolations(editor);
  const foreign = await at.open('secondAdmin', `${link.slice(0, -6)}AAAAAA`);
  await foreign.getByRole('main').getByRole('alert').waitFor();
  await expectNoViolations(foreign);
});
