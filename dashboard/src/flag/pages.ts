import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'flag',
    path: 'flags/$flag',
    section: 'none',
    order: 21,
    label: t.flag,
    icon: 'flag',
    load: async () => (await import('./flag-page.tsx')).FlagPage,
  },
];
