import { FLAG_STALE, RULESET_UPDATED, WEBHOOK_TYPES } from '../../http/audit-actions.ts';
import type { Tx } from '../../storage/database.ts';
import type { NewId } from '../../storage/ids.ts';
import type { WebhookTable } from '../../storage/webhook-tables.ts';
import type { CommittedEvent } from '../outbox/outbox-store.ts';
import { findFacts } from './event-facts.ts';
import { insertMessage } from './message-store.ts';
import { matches, writeBody } from './webhook-message.ts';
import { listEnabledWebhooks } from './webhook-store.ts';

/** A message of a webhook, due now. */
export function newMessage(
  webhook: Pick<WebhookTable, 'organization_id' | 'id'>,
  message: { readonly id: string; readonly type: string; readonly body: string },
  at: string,
) {
  return {
    organization_id: webhook.organization_id,
    webhook_id: webhook.id,
    ...message,
    status: 'pending',
    attempts: 0,
    next_attempt_at: at,
    once: 0 as const,
    created_at: at,
  };
}

/** Writes a message for each webhook that asked for the event. */
export async function enqueueMessages(
  tx: Tx,
  newId: NewId,
  event: CommittedEvent,
  at: string,
): Promise<void> {
  const webhooks = await listEnabledWebhooks(tx, event.entry.organization_id);
  if (WEBHOOK_TYPES.includes(event.topic)) await enqueue(tx, newId, webhooks, event.topic, event, at);
  if (event.topic === 'flag.marked_stale') await enqueue(tx, newId, webhooks, FLAG_STALE, event, at);
  const curious = webhooks.filter((webhook) => webhook.events_json.includes(`"${RULESET_UPDATED}"`));
  if (curious.length === 0) return;
  for (const [environmentId, version] of Object.entries(event.versions)) {
    const entry = { ...event.entry, environment_id: environmentId, project_wide: 0 as const };
    const own = { ...event, entry, versions: { [environmentId]: version } };
    await enqueue(tx, newId, curious, RULESET_UPDATED, own, at);
  }
}

async function enqueue(
  tx: Tx,
  newId: NewId,
  webhooks: readonly WebhookTable[],
  type: string,
  event: CommittedEvent,
  at: string,
): Promise<void> {
  const facts = await findFacts(tx, event);
  for (const webhook of webhooks) {
    if (!matches(webhook, type, event, facts)) continue;
    const body = writeBody(type, event, facts, webhook.payload as 'full' | 'thin');
    await insertMessage(tx, newMessage(webhook, { id: newId('msg'), type, body }, at));
  }
}
