import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

const dialog = async (page: Page): Promise<void> => void (await page.getByRole('dialog').waitFor());

export const screens: readonly Screen[] = [
  { name: 'profile', path: '/settings/profile', as: 'admin' },
  { name: 'sessions', path: '/settings/sessions', as: 'admin' },
  { name: 'personal-tokens', path: '/settings/tokens', as: 'admin' },
  {
    name: 'personal-tokens-new',
    path: '/settings/tokens?do=new',
    as: 'admin',
    isViewport: true,
    prepare: dialog,
  },
  { name: 'second-factor', path: '/settings/second-factor', as: 'admin' },
  {
    name: 'second-factor-scan',
    path: '/settings/second-factor',
    as: 'editor',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Set up a second factor' }).click();
      await page.getByRole('img', { name: /QR code/ }).waitFor();
    },
  },
  { name: 'instance', path: '/settings/instance', as: 'admin' },
  { name: 'instance-viewer', path: '/settings/instance', as: 'viewer', widths: [1440] },
  { name: 'modes', path: '/settings/modes', as: 'admin' },
  { name: 'import-export', path: 'settings/import-export' },
  {
    name: 'import-export-refused',
    path: 'settings/import-export',
    prepare: async (page) => {
      const flag = {
        key: 'gift-cards',
        flag_type: 'boolean',
        variations: [
          { key: 'on', value: true },
          { key: 'off', value: false },
        ],
        default_variation: 'off',
      };
      const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [flag] };
      const file = { mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) };
      await page.locator('input[type=file]').setInputFiles({ name: 'gift-cards.json', ...file });
      await page.getByRole('button', { name: 'Show what would change' }).click();
      await page.getByText('1 change is refused').waitFor();
    },
  },
];
