import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';
import { dialog, pressing } from './steps.ts';

const addKeys = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Add keys' }).first().click();
  await page.getByLabel('Keys, one a line').fill('u-900001\nu-900002, u-900001');
};

export const screens: readonly Screen[] = [
  { name: 'segments', path: 'segments', isViewport: true },
  { name: 'segments-new', path: 'segments', isViewport: true, prepare: pressing('New segment') },
  { name: 'segment', path: 'segments/app-users' },
  { name: 'segment-keys', path: 'segments/newsletter', as: 'viewer', isViewport: true },
  { name: 'segment-keys-add', path: 'segments/beta-testers', isViewport: true, prepare: addKeys },
  {
    name: 'segment-review',
    path: 'segments/beta-testers',
    isViewport: true,
    prepare: async (page) => {
      await page.getByLabel('What it is for').fill('Customers who asked to try what is new, and partners.');
      await addKeys(page);
      await page.getByRole('button', { name: 'Add 2 keys' }).click();
      await page.getByRole('button', { name: /^Save/ }).click();
      await dialog(page);
      await page.getByRole('alert').getByRole('link', { name: 'Break glass' }).waitFor();
    },
  },
  {
    name: 'segment-in-use',
    path: 'segments/beta-testers',
    isViewport: true,
    prepare: async (page) => {
      await pressing('Delete…')(page);
      await page.getByRole('dialog').getByRole('link').first().waitFor();
    },
  },
  { name: 'segment-delete', path: 'segments/new-customers', isViewport: true, prepare: pressing('Delete…') },
];
