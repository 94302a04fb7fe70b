import type { PageDefinition } from '../app/page-definition.ts';
import { t } from './navigation.ts';

export const pages: readonly PageDefinition[] = [
  {
    id: 'webhooks',
    path: 'webhooks',
    section: 'operate',
    order: 230,
    label: t.webhooks,
    icon: 'webhook',
    keys: 'g w',
    loadBadge: async () => (await import('./use-failing-badge.ts')).useFailingBadge,
    load: async () => (await import('./webhooks-page.tsx')).WebhooksPage,
  },
  {
    id: 'webhook',
    path: 'webhooks/$webhook',
    section: 'none',
    order: 231,
    label: t.webhooks,
    icon: 'webhook',
    load: async () => (await import('./webhook-page.tsx')).WebhookPage,
  },
];
