import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'transfer',
    path: 'settings/import-export',
    section: 'settings',
    order: 390,
    capability: 'import_export',
    label: t.transfer,
    icon: 'swap',
    load: async () => (await import('./transfer-page.tsx')).TransferPage,
  },
];
