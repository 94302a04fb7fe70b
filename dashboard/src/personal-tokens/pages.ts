import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'personal-tokens',
    path: '/settings/tokens',
    section: 'personal',
    order: 430,
    capability: 'personal_tokens',
    label: t.tokens,
    icon: 'key',
    load: async () => (await import('./tokens-page.tsx')).TokensPage,
  },
];
