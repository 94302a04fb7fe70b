import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'second-factor',
    path: '/settings/second-factor',
    section: 'personal',
    order: 410,
    label: t.secondFactor,
    icon: 'shield',
    load: async () => (await import('./second-factor-page.tsx')).SecondFactorPage,
  },
  {
    id: 'enrol',
    path: 'enrol',
    place: 'account',
    section: 'none',
    order: 900,
    label: '',
    icon: 'shield',
    load: async () => (await import('./enrol-page.tsx')).EnrolPage,
  },
];
