import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'settings',
    path: 'settings',
    section: 'operate',
    order: 290,
    label: t.settings,
    icon: 'settings',
    keys: 'g s',
    load: async () => (await import('./settings-frame.tsx')).SettingsFrame,
  },
];
