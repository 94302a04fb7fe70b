import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'freezes',
    path: 'freezes',
    section: 'operate',
    order: 210,
    label: t.freezes,
    icon: 'snow',
    keys: 'g z',
    loadBadge: async () => (await import('./use-freeze-badge.ts')).useFreezeBadge,
    load: async () => (await import('./freezes-page.tsx')).FreezesPage,
  },
  {
    id: 'break-glass',
    path: 'freezes/break-glass/$session',
    section: 'none',
    order: 211,
    label: t.freezes,
    icon: 'break-glass',
    load: async () => (await import('./session-page.tsx')).SessionPage,
  },
];
