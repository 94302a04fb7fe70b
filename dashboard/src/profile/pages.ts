import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'profile',
    path: '/settings/profile',
    section: 'personal',
    order: 400,
    label: t.profile,
    icon: 'user',
    load: async () => (await import('./profile-page.tsx')).ProfilePage,
  },
];
