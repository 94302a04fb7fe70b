import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

const choose = (entry: RegExp) => async (page: Page) => {
  await page.getByRole('button', { name: 'More for this flag' }).click();
  await page.getByRole('menuitem', { name: entry }).click();
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor();
};

export const screens: readonly Screen[] = [
  {
    name: 'flag-details',
    path: 'flags/checkout-layout',
    isViewport: true,
    prepare: choose(/Edit details/),
  },
  {
    name: 'flag-variations',
    path: 'flags/delivery-promise?rules=staging',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Edit variations' }).click();
      await page.getByRole('textbox', { name: 'Value' }).first().fill('{"show": "day",}');
    },
  },
  {
    name: 'flag-need',
    path: 'flags/checkout-layout?rules=staging',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Add a flag that is needed first' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'flag-archive', path: 'flags/checkout-layout', isViewport: true, prepare: choose(/^Archive/) },
  { name: 'flag-delete', path: 'flags/cart-badge', isViewport: true, prepare: choose(/^Delete/) },
];
