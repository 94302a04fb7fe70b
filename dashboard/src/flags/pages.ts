import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';
import { useFlagBadge } from './use-view-counts.ts';

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
    useBadge: useFlagBadge,
    load: async () => (await import('./flags-page.tsx')).FlagsPage,
  },
];
