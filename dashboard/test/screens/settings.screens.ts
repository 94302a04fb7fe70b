import type { Screen } from './screen.ts';
import { pressing } from './steps.ts';

/** A key of the shop. */
const KEY = 'storefront';

export const screens: readonly Screen[] = [
  { name: 'project-settings', path: 'settings/project' },
  {
    name: 'project-settings-edit',
    path: 'settings/project',
    isViewport: true,
    prepare: async (page) => {
      await page
        .getByLabel('Hint for a key that does not fit')
        .fill('Begin with the team, as in cart-drawer.');
      await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
    },
  },
  { name: 'api-keys', path: 'settings/api-keys' },
  {
    name: 'api-keys-new',
    path: 'settings/api-keys?do=new',
    isViewport: true,
    prepare: async (page) => void (await page.getByRole('dialog').waitFor()),
  },
  {
    name: 'api-keys-made',
    path: 'settings/api-keys?do=new',
    prepare: async (page) => {
      await page.getByLabel('Name').fill('label-printer');
      await page.getByRole('button', { name: 'Make the key' }).click();
      await page.getByRole('heading', { name: 'Key “label-printer” made' }).waitFor();
    },
  },
  {
    name: 'api-keys-edit',
    path: 'settings/api-keys',
    isViewport: true,
    prepare: pressing(KEY),
  },
  {
    name: 'api-keys-rotate',
    path: 'settings/api-keys',
    isViewport: true,
    prepare: pressing(new RegExp(`^Rotate ${KEY}`)),
  },
  {
    name: 'api-keys-revoke',
    path: 'settings/api-keys',
    isViewport: true,
    prepare: pressing(new RegExp(`^Revoke ${KEY}`)),
  },
  { name: 'api-keys-viewer', path: 'settings/api-keys', as: 'viewer', widths: [1440] },
];
