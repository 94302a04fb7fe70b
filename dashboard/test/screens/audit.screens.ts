import type { Screen } from './screen.ts';

export const screens: readonly Screen[] = [
  { name: 'changes', path: 'changes', isViewport: true },
  { name: 'changes-nothing', path: 'changes?q=no-such-key' },
  {
    name: 'changes-entry',
    path: 'changes?q=checkout-layout',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Flag created' }).first().click();
      await page.getByRole('dialog').getByText('Key', { exact: true }).waitFor();
    },
  },
];
