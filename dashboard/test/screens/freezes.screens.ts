import type { Screen } from './screen.ts';
import { pressing } from './steps.ts';

export const screens: readonly Screen[] = [
  { name: 'freezes', path: 'freezes' },
  { name: 'freezes-as-viewer', path: 'freezes', as: 'viewer', widths: [1440] },
  { name: 'freeze-new', path: 'freezes?window=new', isViewport: true },
  {
    name: 'break-glass',
    path: 'freezes?break-glass=new',
    isViewport: true,
    prepare: async (page) => {
      const text =
        'The old iDEAL is down at the bank since 13:55, and orders drop. I move iDEAL 2.0 to 100 %.';
      await page.getByLabel('What is happening').fill(text);
      await page.getByLabel('Incident').fill('INC-2304');
    },
  },
  { name: 'freeze-edit', path: 'freezes', isViewport: true, prepare: pressing(/^Edit: /) },
  { name: 'freeze-cancel', path: 'freezes', isViewport: true, prepare: pressing(/^Cancel it: /) },
  { name: 'freeze-end', path: 'freezes', isViewport: true, prepare: pressing(/^End early/) },
  {
    name: 'break-glass-session',
    path: 'freezes',
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Review' }).first().click();
      await page.getByRole('heading', { name: 'Your review' }).waitFor();
    },
  },
];
