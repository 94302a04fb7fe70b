import type { Sealer } from '../../../lib/sealed-text.ts';
import type { Database } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { requireWebhook } from './require-webhook.ts';
import { toRecord } from './webhook-record.ts';
import type { WebhookRecord } from './webhook-schemas.ts';
import { listWebhooks, type WebhookRange } from './webhook-store.ts';

export interface WebhookReader {
  /** The webhooks of a project, or all. Throws PROJECT_NOT_FOUND. */
  list(
    actor: Actor,
    filter: WebhookRange & { readonly projectId: string | undefined },
  ): Promise<{ items: readonly WebhookRecord[]; total: number }>;
  /** Throws WEBHOOK_NOT_FOUND. */
  get(actor: Actor, id: string): Promise<WebhookRecord>;
}

export function createWebhookReader(deps: {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly requireProject: RequireProject;
}): WebhookReader {
  const { db, sealer, requireProject } = deps;
  return {
    async list({ organizationId }, { projectId, ...range }) {
      if (projectId !== undefined) await requireProject(db, organizationId, projectId);
      const { rows, total } = await listWebhooks(db, { organizationId, projectId }, range);
      return { items: rows.map((row) => toRecord(row, sealer)), total };
    },
    get: async ({ organizationId }, id) => toRecord(await requireWebhook(db, organizationId, id), sealer),
  };
}
