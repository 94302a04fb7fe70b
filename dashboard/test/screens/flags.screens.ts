import type { Screen } from './screen.ts';

export const screens: readonly Screen[] = [
  { name: 'flags', path: 'flags', isViewport: true },
  {
    name: 'flags-of-production',
    path: 'flags?environment=production&view=partly_rolled_out',
    widths: [1440],
  },
  { name: 'flags-nothing', path: 'flags?q=nosuchflag', widths: [1440] },
  {
    name: 'flag-new',
    path: 'flags?new=flag',
    isViewport: true,
    prepare: (page) => page.getByRole('dialog').waitFor(),
  },
];
