import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'why',
    path: 'why',
    section: 'main',
    order: 50,
    label: t.why,
    icon: 'question',
    keys: 'g y',
    load: async () => (await import('./why-page.tsx')).WhyPage,
  },
];
