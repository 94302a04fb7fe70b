import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'project-settings',
    path: 'settings/project',
    section: 'settings',
    order: 300,
    label: t.project,
    icon: 'settings',
    load: async () => (await import('./project-page.tsx')).ProjectPage,
  },
  {
    id: 'projects',
    path: 'settings/projects',
    section: 'organization',
    order: 325,
    label: t.projects,
    icon: 'flag',
    load: async () => (await import('./projects-page.tsx')).ProjectsPage,
  },
];
