import type { Screen } from './screen.ts';

export const screens: readonly Screen[] = [
  { name: 'segments', path: 'segments', isViewport: true },
  { name: 'segment', path: 'segments/app-users' },
  { name: 'segment-keys', path: 'segments/newsletter', as: 'viewer', isViewport: true },
];
