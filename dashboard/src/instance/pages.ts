import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'instance',
    path: '/settings/instance',
    section: 'installation',
    order: 500,
    label: t.instance,
    icon: 'chart',
    load: async () => (await import('./instance-page.tsx')).InstancePage,
  },
  {
    id: 'modes',
    path: '/settings/modes',
    section: 'installation',
    order: 510,
    label: t.modes,
    icon: 'list',
    load: async () => (await import('./modes-page.tsx')).ModesPage,
  },
];
