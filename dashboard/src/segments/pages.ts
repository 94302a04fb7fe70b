import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'segments',
    path: 'segments',
    section: 'main',
    order: 30,
    label: t.segments,
    icon: 'people',
    keys: 'g e',
    load: async () => (await import('./segments-page.tsx')).SegmentsPage,
  },
  {
    id: 'segment',
    path: 'segments/$segment',
    section: 'none',
    order: 121,
    label: t.segments,
    icon: 'people',
    load: async () => (await import('./segment-page.tsx')).SegmentPage,
  },
];
