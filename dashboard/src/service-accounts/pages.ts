import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

const load = {
  list: async () => (await import('./accounts-page.tsx')).AccountsPage,
  one: async () => (await import('./account-page.tsx')).AccountPage,
};

export const pages: readonly PageDefinition[] = [
  {
    id: 'service-accounts',
    path: 'settings/service-accounts',
    section: 'organization',
    order: 340,
    label: t.serviceAccounts,
    icon: 'code',
    load: load.list,
  },
  {
    id: 'service-account',
    path: 'settings/service-accounts/$account',
    section: 'none',
    order: 341,
    label: t.serviceAccounts,
    icon: 'code',
    load: load.one,
  },
];
