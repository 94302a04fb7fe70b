import type { Page } from 'playwright-core';
import { totpCode, totpStep } from '../../../reference-server/src/control-plane/features/auth/mfa/totp.ts';
import { PASSWORD, people } from '../shop/people.ts';
import type { Screen } from './screen.ts';

const PATH = '/settings/second-factor';
/** A recovery code of the person whose second factor is on, for turning it off before the next picture. */
let recoveryCode: string | undefined;

async function scan(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  const image = page.getByRole('img', { name: /QR code/ });
  const password = page.getByLabel('Your password');
  await image.or(password).first().waitFor();
  // The sign-in of a long run of pictures is too old for this page.
  if (await password.isVisible()) {
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
  }
  await image.waitFor();
}

/** Ends with the recovery codes on the screen. */
async function turnOn(page: Page): Promise<void> {
  if (recoveryCode !== undefined) await turnOff(page, recoveryCode);
  await scan(page);
  const secret = (await page.locator('main code').first().textContent())!.replaceAll(' ', '');
  await page.getByLabel('Code that the app shows now').fill(totpCode(secret, totpStep(Date.now())));
  await page.keyboard.press('Enter');
  const codes = page.getByRole('list', { name: 'Recovery codes' });
  await codes.waitFor();
  [recoveryCode] = await codes.getByRole('listitem').allTextContents();
}

async function turnOff(page: Page, code: string): Promise<void> {
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByLabel(/Code from your app/).fill(code);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Set up a second factor' }).waitFor();
}

export const screens: readonly Screen[] = [
  { name: 'second-factor', path: PATH, as: 'admin' },
  { name: 'second-factor-scan', path: PATH, as: 'editor', prepare: scan },
  {
    name: 'second-factor-wrong',
    path: PATH,
    as: 'editor',
    prepare: async (page) => {
      await scan(page);
      await page.getByLabel('Code that the app shows now').fill('000000');
      await page.keyboard.press('Enter');
      await page.getByText('The code is wrong or too old').waitFor();
    },
  },
  { name: 'second-factor-codes', path: PATH, as: 'keptEditor', prepare: turnOn },
  { name: 'second-factor-on', path: PATH, as: 'keptEditor' },
  {
    name: 'second-factor-off',
    path: PATH,
    as: 'keptEditor',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Turn off' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'signin-code',
    path: '/signin',
    prepare: async (page) => {
      await page.getByLabel('E-mail').fill(people.keptEditor.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel(/Code from your app/).waitFor();
    },
  },
  { name: 'enrol', path: '/enrol', as: 'editor' },
  { name: 'enrol-scan', path: '/enrol', as: 'editor', prepare: scan },
];
