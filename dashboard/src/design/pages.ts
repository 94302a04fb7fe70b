import type { PageDefinition } from '../app/page-definition.ts';

/** All parts in all states, only while developing: `npm run dev:dashboard`, then `/design`. */
export const pages: readonly PageDefinition[] = import.meta.env.DEV
  ? [
      {
        id: 'design',
        path: 'design',
        place: 'account',
        section: 'none',
        order: 999,
        label: 'Design',
        icon: 'flag',
        load: async () => (await import('./design-page.tsx')).DesignPage,
      },
    ]
  : [];
