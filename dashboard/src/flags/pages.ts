import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'flags',
    path: 'flags',
    section: 'main',
    order: 20,
    label: t.flags,
    icon: 'flag',
    keys: 'g f',
    onPhone: true,
    loadBadge: async () => (await import('./use-view-counts.ts')).useFlagBadge,
    load: async () => (await import('./flags-page.tsx')).FlagsPage,
  },
];
