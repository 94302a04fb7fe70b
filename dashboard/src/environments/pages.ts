import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'environments',
    path: 'settings/environments',
    section: 'settings',
    order: 310,
    label: t.environments,
    icon: 'list',
    load: async () => (await import('./environments-page.tsx')).EnvironmentsPage,
  },
];
