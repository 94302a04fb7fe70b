import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type MailServer, startMailServer } from '../../reference-server/test/mail-server.ts';
import { contextOptions, expectNoViolations, openBrowser, watchFaults } from './harness/browser.ts';
import { type RunningServer, startServer } from './harness/start-server.ts';

// One installation from its first page on: the tests follow each other.
const PASSWORD = 'correct horse battery';
let mail: MailServer;
let server: RunningServer;
let browser: Browser;

beforeAll(async () => {
  mail = await startMailServer();
  browser = await openBrowser();
  server = await startServer({
    env: {
      FLAGSVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      FLAGSVC_MAIL_FROM: 'flags@northwind.example',
      FLAGSVC_REGISTRATION: 'invite',
      FLAGSVC_RATE_LIMITS: 'auth=1000',
    },
  });
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await mail.close();
});

/** Opens an address in a browser of its own and closes it afterwards. */
const visit = async (path: string, run: (page: Page) => Promise<void>): Promise<void> => {
  const context = await browser.newContext(contextOptions());
  const page = await context.newPage();
  const faults = watchFaults(page);
  await page.goto(new URL(path, server.origin).href);
  await page.locator('h1').first().waitFor();
  await run(page);
  await context.close();
  expect(faults).toEqual([]);
};

/** The link to a page in the latest mail to an address. */
const linkTo = (page: string, address: string): Promise<string> =>
  vi.waitFor(
    () => {
      const letters = mail.received.filter(({ to }) => to.includes(address));
      // Quoted-printable cuts long lines with an equals sign.
      const text = letters.at(-1)?.source.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
      const link = new RegExp(`http://localhost:\\d+/${page}#token=[\\w.~-]+`).exec(text)?.[0];
      if (link === undefined) throw new Error(`no mail to ${address} has a link to ${page}`);
      return link;
    },
    { timeout: 20_000, interval: 100 },
  );

const isIn = (page: Page) => page.waitForURL('**/o/**');

test('a fresh installation begins with its first account and project', () =>
  visit('/', async (page) => {
    await page.getByRole('heading', { name: 'Set up this installation' }).waitFor();
    await expectNoViolations(page);
    await page.getByLabel('Your name').fill('Mara Lindqvist');
    await page.getByLabel('E-mail').fill('mara@northwind.example');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Make account and project' }).click();
    await page.getByText('Must have at least 8 characters').waitFor();
    await expectNoViolations(page);
    await page.locator('[name=password]').fill(PASSWORD);
    await page.getByLabel('First project').fill('Storefront');
    await page.keyboard.press('Enter');
    await isIn(page);
    await page.getByText('Storefront').first().waitFor();
  }));

test('the second visitor finds that only invited people can join', () =>
  visit('/register', async (page) => {
    await page.getByRole('heading', { name: 'Ask for an invitation' }).waitFor();
    await expectNoViolations(page);
  }));

test('an invitation ends in the dashboard, and its link works only once', async () => {
  await invite('jonas@northwind.example', 'editor');
  const link = await linkTo('accept-invitation', 'jonas@northwind.example');
  await visit(link, async (page) => {
    expect(page.url()).not.toContain('token');
    await expectNoViolations(page);
    await page.getByText(/ invites jonas@northwind\.example as an editor\.$/).waitFor();
    await page.getByLabel('Your name').fill('Jonas Weber');
    await page.locator('[name=password]').fill(PASSWORD);
    await page.getByRole('button', { name: /^Join / }).click();
    await isIn(page);
    await page.getByText('Jonas Weber').first().waitFor();
  });
  await visit(link, async (page) => {
    await page.getByRole('alert').getByText('This invitation no longer works').waitFor();
    await expectNoViolations(page);
  });
});

test('a forgotten password is replaced by the link of a mail, and the old one no longer works', async () => {
  await visit('/signin', async (page) => {
    await page.getByRole('link', { name: 'Forgot it?' }).click();
    await page.getByRole('heading', { name: 'Forgot your password' }).waitFor();
    await expectNoViolations(page);
    await page.getByLabel('E-mail').fill('jonas@northwind.example');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    await expectNoViolations(page);
  });
  await visit(await linkTo('reset-password', 'jonas@northwind.example'), async (page) => {
    await expectNoViolations(page);
    await page.getByLabel('New password').fill('another horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, PASSWORD);
    await page.getByText('E-mail or password is wrong').waitFor();
    await signIn(page, 'another horse battery');
    await isIn(page);
  });
});

test('an address that nobody has gets the same answer', () =>
  visit('/forgot-password', async (page) => {
    await page.getByLabel('E-mail').fill('nobody@northwind.example');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    expect(mail.received.flatMap(({ to }) => to)).not.toContain('nobody@northwind.example');
  }));

test.each(['/accept-invitation', '/reset-password', '/reset-password#token=%3Cscript%3E'])(
  '%s without a token says what to do',
  (path) =>
    visit(path, async (page) => {
      await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
      await expectNoViolations(page);
    }),
);

const signIn = async (page: Page, password: string) => {
  await page.getByLabel('E-mail').fill('jonas@northwind.example');
  await page.locator('[name=password]').fill(password);
  await page.keyboard.press('Enter');
};

/** Invites a person as the admin, through the API at the dashboard's address. */
const invite = async (email: string, role: string) => {
  const send = async (path: string, body: object | undefined, token?: string) => {
    const response = await fetch(`${server.origin}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        origin: server.origin,
        'x-requested-with': 'flagsvc-dashboard',
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { data: Record<string, never> }).data;
  };
  const login = { email: 'mara@northwind.example', password: PASSWORD };
  const { access_token: token } = await send('/auth/login', login);
  const { organizations } = await send('/api/v1/auth/me', undefined, token);
  const [{ id }] = organizations as unknown as [{ id: string }];
  await send(`/api/v1/organizations/${id}/invitations`, { email, role }, token);
};
