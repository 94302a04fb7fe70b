import type { Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { WebhookTable } from '../../../../storage/webhook-tables.ts';
import type { CommittedEvent } from '../../../outbox/outbox-store.ts';
import { FLAG_STALE, RULESET_UPDATED, WEBHOOK_TYPES } from '../../../write-gate/audit-actions.ts';
import { listEnabledWebhooks } from '../webhook-store.ts';
import { findFacts } from './event-facts.ts';
import { matches, writeBody } from './message-body.ts';
import { insertMessage } from './message-store.ts';

/** The row of a message that is due now. */
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

/** A committed event and what its messages need. */
interface Enqueued {
  readonly event: CommittedEvent;
  readonly newId: NewId;
  readonly at: string;
}

/** Stores a message for each webhook that subscribes to the event. */
export async function enqueueMessages(tx: Tx, { event, ...how }: Enqueued): Promise<void> {
  const webhooks = await listEnabledWebhooks(tx, event.entry.organization_id);
  const type = event.topic;
  if (WEBHOOK_TYPES.includes(type)) await enqueue(tx, { ...how, webhooks, type, event });
  if (type === 'flag.marked_stale') await enqueue(tx, { ...how, webhooks, type: FLAG_STALE, event });
  const subscribed = webhooks.filter((webhook) => webhook.events_json.includes(`"${RULESET_UPDATED}"`));
  if (subscribed.length === 0) return;
  for (const [environmentId, version] of Object.entries(event.versions)) {
    const entry = { ...event.entry, environment_id: environmentId, project_wide: 0 as const };
    const own = { ...event, entry, versions: { [environmentId]: version } };
    await enqueue(tx, { ...how, webhooks: subscribed, type: RULESET_UPDATED, event: own });
  }
}

async function enqueue(
  tx: Tx,
  of: Enqueued & { readonly webhooks: readonly WebhookTable[]; readonly type: string },
): Promise<void> {
  const { webhooks, type, event, newId, at } = of;
  const facts = await findFacts(tx, event);
  for (const webhook of webhooks) {
    if (!matches(webhook, type, { event, facts })) continue;
    const body = writeBody(type, event, { facts, payload: webhook.payload as 'full' | 'thin' });
    await insertMessage(tx, newMessage(webhook, { id: newId('msg'), type, body }, at));
  }
}
