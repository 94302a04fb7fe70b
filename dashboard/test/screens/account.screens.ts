import type { Screen } from './screen.ts';

// The first run needs an empty installation, which the shop is not.
export const screens: readonly Screen[] = [
  { name: 'register-closed', path: '/register' },
  { name: 'accept-invitation', path: '/accept-invitation#token=example' },
  { name: 'forgot-password', path: '/forgot-password' },
  { name: 'reset-password', path: '/reset-password#token=example' },
  { name: 'link-incomplete', path: '/reset-password' },
];
