import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'audit',
    path: 'changes',
    section: 'operate',
    order: 220,
    label: t.changes,
    icon: 'list',
    keys: 'g c',
    load: async () => (await import('./audit-page.tsx')).AuditPage,
  },
];
