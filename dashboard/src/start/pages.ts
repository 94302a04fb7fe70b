import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'start',
    path: '',
    section: 'main',
    order: 10,
    label: t.start,
    icon: 'home',
    keys: 'g h',
    onPhone: true,
    loadBadge: async () => (await import('./use-attention-badge.ts')).useAttentionBadge,
    load: async () => (await import('./start-page.tsx')).StartPage,
  },
];
