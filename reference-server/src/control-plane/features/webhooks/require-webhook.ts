import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { WebhookTable } from '../../../storage/webhook-tables.ts';
import { findWebhook } from './webhook-store.ts';

/** Reads a webhook. Throws WEBHOOK_NOT_FOUND. */
export async function requireWebhook(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<WebhookTable> {
  const row = await findWebhook(db, organizationId, id);
  if (row === undefined) throw new ApiError('WEBHOOK_NOT_FOUND');
  return row;
}
