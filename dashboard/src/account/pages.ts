import type { PageDefinition } from '../app/page-definition.ts';

const ACCOUNT = { place: 'account', section: 'none', order: 900, icon: 'user', label: '' } as const;

export const pages: readonly PageDefinition[] = [
  {
    ...ACCOUNT,
    id: 'register',
    path: 'register',
    load: async () => (await import('./register-page.tsx')).RegisterPage,
  },
  {
    ...ACCOUNT,
    id: 'accept-invitation',
    path: 'accept-invitation',
    load: async () => (await import('./invitation-page.tsx')).InvitationPage,
  },
  {
    ...ACCOUNT,
    id: 'forgot-password',
    path: 'forgot-password',
    load: async () => (await import('./forgot-page.tsx')).ForgotPage,
  },
  {
    ...ACCOUNT,
    id: 'reset-password',
    path: 'reset-password',
    load: async () => (await import('./reset-page.tsx')).ResetPage,
  },
];
