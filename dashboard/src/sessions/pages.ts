import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'sessions',
    path: '/settings/sessions',
    section: 'personal',
    order: 420,
    label: t.sessions,
    icon: 'list',
    load: async () => (await import('./sessions-page.tsx')).SessionsPage,
  },
];
