import type { Screen } from './screen.ts';

export const screens: readonly Screen[] = [
  { name: 'signin', path: '/signin' },
  {
    name: 'signin-refused',
    path: '/signin',
    prepare: async (page) => {
      await page.getByLabel('E-mail').fill('mara@northwind.example');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('E-mail or password is wrong').waitFor();
    },
  },
  {
    name: 'palette',
    path: 'changes',
    isViewport: true,
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('searchbox').fill('checkout');
      await page.getByRole('menuitem').nth(1).waitFor();
    },
  },
  {
    name: 'shortcuts',
    path: 'changes',
    isViewport: true,
    widths: [1440],
    prepare: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
];
