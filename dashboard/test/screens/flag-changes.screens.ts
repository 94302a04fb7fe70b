import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

/** Changes a split, so that the bar with unsaved changes is there. */
async function editSplit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit Rule 2, Pro customers in Benelux' }).click();
  await page.getByRole('textbox', { name: 'Share of one-page' }).fill('60');
  await page.keyboard.press('Tab');
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
}

export const screens: readonly Screen[] = [
  {
    name: 'flag-schedule',
    path: 'flags/checkout-layout?rules=staging',
    isViewport: true,
    prepare: async (page) => {
      await editSplit(page);
      await page.getByRole('button', { name: 'Schedule…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'flag-plan-frozen',
    path: 'flags/checkout-layout?rules=production',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Plan a change' }).click();
      await page.getByRole('dialog').getByText('Change a split').click();
      await page.getByText('Production is frozen then').waitFor();
    },
  },
  {
    name: 'flag-compare',
    path: 'flags/checkout-layout?rules=staging&compare=staging..production',
    isViewport: true,
    look: { height: 1200 },
    prepare: async (page) => void (await page.getByText('What changes in Production').waitFor()),
  },
  { name: 'flag-evaluations', path: 'flags/checkout-layout?rules=production&evaluations=30d' },
  { name: 'flag-evaluations-none', path: 'flags/search-by-photo?rules=production', widths: [1440] },
  { name: 'flag-planned', path: 'flags/checkout-layout?rules=production' },
];
