import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { totpCode, totpStep } from '../../reference-server/src/control-plane/features/auth/mfa/totp.ts';
import { expectNoViolations } from './harness/browser.ts';
import { pageHeaders } from './harness/start-shop.ts';
import { visitShop } from './harness/visit-shop.ts';
import { PASSWORD, people } from './shop/people.ts';

// Ten sign-ins a minute are the default; these tests need more.
const at = visitShop({ env: { FLAGSVC_RATE_LIMITS: 'auth=1000' } });

const signIn = async (page: Page, email: string, password: string): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.locator('[name=password]').fill(password);
  await page.keyboard.press('Enter');
};
/** A session of another browser, as its access token. */
const signInElsewhere = async (email: string, agent: string): Promise<string> => {
  const response = await fetch(`${at.shop.origin}/auth/login`, {
    method: 'POST',
    headers: { ...pageHeaders(at.shop.origin), 'content-type': 'application/json', 'user-agent': agent },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return ((await response.json()) as { data: { access_token: string } }).data.access_token;
};
const statusOf = async (token: string, path = '/auth/me'): Promise<number> =>
  (await fetch(`${at.shop.origin}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status;

test('a viewer changes the name, takes it back, and chooses a theme', async () => {
  const page = await at.open('viewer', '/settings/profile');
  const name = page.getByLabel('Your name');
  await name.fill('<b>Noor</b> \u202e\u{1f600}');
  await expectNoViolations(page);
  await page.reload();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await page.getByText('Name saved').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => name.inputValue()).toBe(people.viewer.name);
  await page.getByRole('radio', { name: 'Dark' }).click();
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
  expect(await page.title()).toBe('Profile · flagsvc');
});

test('a person ends one session, then all others, and signs out of all tabs', async () => {
  const { email } = people.keptEditor;
  const phone = await signInElsewhere(
    email,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) FxiOS/1',
  );
  const script = await signInElsewhere(email, 'curl/8.7.1');
  const page = await at.openSignedOut('/signin?next=/settings/sessions');
  await signIn(page, email, PASSWORD);
  const row = page.getByRole('row').filter({ hasText: 'Firefox on iPhone' });
  await row.waitFor();
  await expectNoViolations(page);
  await row.getByRole('button').click();
  const question = page.getByRole('alertdialog', { name: /^End / });
  await expectNoViolations(question);
  await question.getByRole('button', { name: 'End the session' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await statusOf(phone)).toBe(401);
  expect(await statusOf(script)).toBe(200);

  await page.getByRole('button', { name: 'End all others' }).click();
  await expectNoViolations(question);
  await question.getByRole('button', { name: /^End \d+ session/ }).click();
  await page.getByText(/sessions? ended/).waitFor();
  expect(await statusOf(script)).toBe(401);
  expect(await page.getByRole('row').count()).toBe(2);

  const second = await page.context().newPage();
  await second.goto(at.shop.href('/settings/tokens'));
  await second.getByRole('heading', { name: 'Personal tokens' }).waitFor();
  await page.getByRole('row').getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/signin/);
  await second.waitForURL(/\/signin/);
});

test('a token is shown once, does what its scope says, and ends when it is revoked', async () => {
  const page = await at.open('editor', '/settings/tokens');
  await page.getByText('No token yet').waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'New token' }).first().click();
  const form = page.getByRole('dialog', { name: 'New personal token' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Nightly report');
  await expectNoViolations(page);
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: 'Token “Nightly report” made' });
  const token = (await card.locator('code').first().textContent())!;
  await expectNoViolations(page);
  expect(await statusOf(token)).toBe(200);
  // A token makes no tokens and reads no sessions.
  expect(await statusOf(token, '/auth/sessions')).toBe(403);

  await page.getByRole('link', { name: 'Sessions' }).click();
  await page.getByRole('alertdialog', { name: 'Go on without the token?' }).waitFor();
  await page.keyboard.press('Escape');
  expect(new URL(page.url()).pathname).toBe('/settings/tokens');

  await page.getByRole('button', { name: 'Revoke Nightly report' }).click();
  const question = page.getByRole('alertdialog', { name: 'Revoke Nightly report' });
  await expectNoViolations(question);
  await question.getByLabel(/to confirm/).fill(token.slice(-4));
  await page.keyboard.press('Enter');
  await page.getByText('No token yet').waitFor();
  await card.waitFor({ state: 'detached' });
  expect(await statusOf(token)).toBe(401);
});

test('a second factor is set up, asked for at sign-in, renewed, and turned off', async () => {
  const { email } = people.editor;
  const page = await at.openSignedOut('/signin?next=/settings/second-factor');
  await signIn(page, email, PASSWORD);
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await expectNoViolations(page);
  const secret = (await page.locator('main code').first().textContent())!.replaceAll(' ', '');
  const code = (): string => totpCode(secret, totpStep(Date.now()));
  const field = page.getByLabel('Code that the app shows now');
  await field.fill('000000');
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong or too old').waitFor();
  const first = code();
  await field.fill(first);
  await page.keyboard.press('Enter');
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await list.waitFor();
  await expectNoViolations(page);
  const [recovery, other] = await list.getByRole('listitem').allTextContents();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('flagsvc-recovery-codes.txt');
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('10 of 10').waitFor();
  await expectNoViolations(page);

  const elsewhere = await at.openSignedOut('/signin?next=/settings/second-factor');
  await signIn(elsewhere, email, PASSWORD);
  const factor = elsewhere.getByLabel(/Code from your app/);
  await factor.fill(first);
  await elsewhere.keyboard.press('Enter');
  await elsewhere.getByText('already used').waitFor();
  await expectNoViolations(elsewhere);
  await factor.fill(recovery!);
  await elsewhere.keyboard.press('Enter');
  await elsewhere.getByText('9 of 10').waitFor();

  await page.getByRole('button', { name: 'Turn off' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn off the second factor' });
  await expectNoViolations(dialog);
  await dialog.getByLabel('Your password').fill('not the password');
  await dialog.getByLabel(/Code from your app/).fill(other!);
  await page.keyboard.press('Enter');
  await dialog.getByText('The password is wrong').waitFor();
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await dialog.getByLabel(/Code from your app/).fill(recovery!);
  await page.keyboard.press('Enter');
  await dialog.getByText('already used').waitFor();
  await expectNoViolations(page);
  await dialog.getByLabel(/Code from your app/).fill(other!);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Set up a second factor' }).waitFor();
});

test('a new password ends the other sessions and keeps this one', async () => {
  const { email } = people.viewer;
  const other = await signInElsewhere(email, 'curl/8.7.1');
  const page = await at.openSignedOut('/signin?next=/settings/profile');
  await signIn(page, email, PASSWORD);
  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password').fill('short');
  await page.keyboard.press('Enter');
  await page.getByText('Must have at least 8 characters').waitFor();
  await page.getByLabel('New password').fill('quite another sentence');
  await page.keyboard.press('Enter');
  await page.getByText('The password is wrong').waitFor();
  await expectNoViolations(page);
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Password changed').waitFor();
  expect(await page.getByLabel('New password').inputValue()).toBe('');
  expect(await statusOf(other)).toBe(401);
  await page.getByRole('link', { name: 'Sessions' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
});

test('a required second factor is set up before anything else is shown', async () => {
  const admin = await at.shop.api('secondAdmin');
  const { secret } = await admin.mfa.start();
  await admin.mfa.confirm({ code: totpCode(secret, totpStep(Date.now())) });
  await admin.organizations.update(at.shop.organizationId, { settings: { require_mfa: true } });
  const page = await at.openSignedOut('/signin');
  await signIn(page, people.keptEditor.email, PASSWORD);
  await page.waitForURL(/\/enrol$/);
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await expectNoViolations(page);
  const own = (await page.locator('main code').first().textContent())!.replaceAll(' ', '');
  await page.getByLabel('Code that the app shows now').fill(totpCode(own, totpStep(Date.now())));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy all' }).waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Download' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.waitForURL(/\/o\/.*\/p\//);
  await page.getByText('Aiko Tanaka').first().waitFor();
});
