import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'members',
    path: 'settings/members',
    section: 'organization',
    order: 330,
    label: t.members,
    icon: 'people',
    keys: 'g m',
    load: async () => (await import('./members-page.tsx')).MembersPage,
  },
];
