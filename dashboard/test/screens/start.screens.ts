import type { Screen } from './screen.ts';

export const screens: readonly Screen[] = [
  { name: 'start', path: '' },
  { name: 'start-as-viewer', path: '', as: 'viewer', widths: [1440] },
  {
    name: 'start-first',
    path: '',
    as: 'secondAdmin',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Connect an app|Leave for now)$/ }).waitFor();
      const connect = page.getByRole('button', { name: 'Connect an app' });
      if (await connect.isVisible()) await connect.click();
      await page.getByText('We have seen your SDK').waitFor();
    },
  },
];
