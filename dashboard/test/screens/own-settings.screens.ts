import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';
import { dialog, pressing } from './steps.ts';

const flag = (key: string, name: string) => ({
  key,
  name,
  flag_type: 'boolean',
  variations: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  default_variation: 'off',
});

/** Chooses a file with these flags and asks what it would change. */
async function plan(page: Page, document: object): Promise<void> {
  const text = JSON.stringify({ apiVersion: 'flagsvc/v1', kind: 'Project', ...document });
  const file = { mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.locator('input[type=file]').setInputFiles({ name: 'gift-cards.json', ...file });
  await page.getByRole('button', { name: 'Show what would change' }).click();
}

export const screens: readonly Screen[] = [
  { name: 'profile', path: '/settings/profile', as: 'admin' },
  { name: 'sessions', path: '/settings/sessions', as: 'admin' },
  {
    name: 'sessions-end',
    path: '/settings/sessions',
    as: 'admin',
    isViewport: true,
    prepare: pressing(/^End .*Chrome/),
  },
  {
    name: 'sessions-end-others',
    path: '/settings/sessions',
    as: 'admin',
    isViewport: true,
    prepare: pressing('End all others'),
  },
  { name: 'personal-tokens', path: '/settings/tokens', as: 'admin' },
  {
    name: 'personal-tokens-new',
    path: '/settings/tokens?do=new',
    as: 'admin',
    isViewport: true,
    prepare: dialog,
  },
  {
    name: 'personal-tokens-revoke',
    path: '/settings/tokens',
    as: 'admin',
    isViewport: true,
    prepare: pressing('Revoke Laptop'),
  },
  { name: 'instance', path: '/settings/instance', as: 'admin' },
  { name: 'instance-viewer', path: '/settings/instance', as: 'viewer', widths: [1440] },
  { name: 'modes', path: '/settings/modes', as: 'admin' },
  { name: 'import-export', path: 'settings/import-export' },
  {
    name: 'import-export-refused',
    path: 'settings/import-export',
    prepare: async (page) => {
      await plan(page, { flags: [flag('gift-cards', 'Gift cards')] });
      await page.getByText('1 change is refused').waitFor();
    },
  },
  {
    name: 'import-export-plan',
    path: 'settings/import-export',
    prepare: async (page) => {
      await plan(page, { flags: [flag('guest-checkout', 'Checkout without an account')] });
      await page.getByRole('region', { name: 'What changes' }).waitFor();
    },
  },
];
