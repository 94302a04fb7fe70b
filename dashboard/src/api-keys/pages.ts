import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'api-keys',
    path: 'settings/api-keys',
    section: 'settings',
    order: 320,
    label: t.apiKeys,
    icon: 'key',
    keys: 'g k',
    load: async () => (await import('./api-keys-page.tsx')).ApiKeysPage,
  },
];
