import { ApiError } from '../../../../http/errors.ts';
import type { Database, Queryable } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import { longReads } from '../../../../storage/long-reads.ts';
import type { WebhookMessageTable } from '../../../../storage/webhook-tables.ts';
import type { Actor } from '../../../access/actor.ts';
import { PING } from '../../../write-gate/audit-actions.ts';
import type { ChangeOptions, WriteGate } from '../../../write-gate/change.ts';
import { requireWebhook } from '../require-webhook.ts';
import { resourceOf, toDelivery } from '../webhook-record.ts';
import type { DeliveryRecord, MessageRecord } from '../webhook-schemas.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import { newMessage } from './enqueue-messages.ts';
import {
  findMessage,
  findMessagesBetween,
  insertMessage,
  listAttempts,
  updateMessage,
} from './message-store.ts';

export interface DeliveryServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly worker: DeliveryWorker;
}

export interface DeliveryFilter {
  readonly status?: 'succeeded' | 'failed' | undefined;
  readonly event?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Lists delivery attempts, tests webhooks, and sends messages again. */
export interface DeliveryService {
  list(
    actor: Actor,
    webhookId: string,
    filter: DeliveryFilter,
  ): Promise<{ items: readonly DeliveryRecord[]; total: number; nextCursor: string | null }>;
  getMessage(actor: Actor, messageId: string): Promise<MessageRecord>;
  /** Sends a `ping` at once, without retries, also to a disabled webhook. */
  test(actor: Actor, webhookId: string): Promise<DeliveryRecord>;
  /** Sends a message again with the next run. Throws WEBHOOK_DISABLED. */
  redeliver(actor: Actor, messageId: string, options: ChangeOptions): Promise<MessageRecord>;
  /** Sends up to 1,000 messages of a period and status again, with retries. Throws WEBHOOK_DISABLED. */
  replay(
    actor: Actor,
    input: {
      readonly webhookId: string;
      readonly range: { readonly from: string; readonly to: string; readonly status: string };
    },
    options: ChangeOptions,
  ): Promise<{ replayed: number }>;
}

const REPLAY_MAX = 1_000;
const SHOWN_ATTEMPTS = 50;

export function createDeliveryService(deps: DeliveryServiceDeps): DeliveryService {
  const { db, gate, newId, now, worker } = deps;

  const requireMessage = async (
    tx: Queryable,
    organizationId: string,
    id: string,
  ): Promise<WebhookMessageTable> => {
    const row = await findMessage(tx, organizationId, id);
    if (row === undefined) throw new ApiError('WEBHOOK_MESSAGE_NOT_FOUND');
    return row;
  };

  const show = async (tx: Queryable, row: WebhookMessageTable): Promise<MessageRecord> => {
    const { rows } = await listAttempts(tx, { messageId: row.id }, { limit: SHOWN_ATTEMPTS, offset: 0 });
    const { id, webhook_id, type, attempts, next_attempt_at, body, created_at } = row;
    const status = worker.isSending(id) ? 'delivering' : (row.status as MessageRecord['status']);
    const deliveries = rows.map(toDelivery);
    return { id, webhook_id, type, status, attempts, next_attempt_at, body, deliveries, created_at };
  };

  return {
    async list(actor, webhookId, { status, event, ...range }) {
      await requireWebhook(db, actor.organizationId, webhookId);
      const succeeded = status === undefined ? undefined : status === 'succeeded' ? 1 : 0;
      const { rows, total } = await listAttempts(
        longReads(db),
        { webhookId },
        { succeeded, type: event, ...range },
      );
      const nextCursor = rows.length === range.limit ? (rows.at(-1)?.id ?? null) : null;
      return { items: rows.map(toDelivery), total, nextCursor };
    },

    getMessage: async (actor, messageId) =>
      show(db, await requireMessage(db, actor.organizationId, messageId)),

    async test(actor, webhookId) {
      const webhook = await requireWebhook(db, actor.organizationId, webhookId);
      const at = new Date(now()).toISOString();
      const id = newId('msg');
      const data = { organization_id: webhook.organization_id, webhook_id: webhook.id };
      const body = JSON.stringify({ type: PING, timestamp: at, data });
      // Stored as failed, so that the worker does not send it as well.
      const message = {
        ...newMessage(webhook, { id, type: PING, body }, at),
        status: 'failed',
        next_attempt_at: null,
        once: 1 as const,
      };
      await insertMessage(db, message);
      await worker.sendNow(webhook, message);
      const { rows } = await listAttempts(db, { messageId: id }, { limit: 1, offset: 0 });
      // An attempt goes unrecorded only while the server stops.
      if (rows[0] === undefined) throw new ApiError('SERVICE_UNAVAILABLE');
      return toDelivery(rows[0]);
    },

    redeliver: (actor, messageId, options) =>
      gate.applyChange(
        actor,
        {
          action: 'webhook.redelivered',
          permission: 'webhook.write',
          async plan(tx, at) {
            const message = await requireMessage(tx, actor.organizationId, messageId);
            const webhook = await requireWebhook(tx, actor.organizationId, message.webhook_id);
            if (webhook.enabled === 0) throw new ApiError('WEBHOOK_DISABLED');
            const once = message.status === 'pending' ? message.once : (1 as const);
            const columns = { status: 'pending', next_attempt_at: at, once };
            return {
              resource: resourceOf(webhook),
              before: null,
              after: { message_ids: [message.id] },
              async write() {
                await updateMessage(tx, message.id, columns);
                return show(tx, { ...message, ...columns });
              },
            };
          },
        },
        options,
      ),

    replay: (actor, { webhookId, range }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'webhook.replayed',
          permission: 'webhook.write',
          async plan(tx, at) {
            const webhook = await requireWebhook(tx, actor.organizationId, webhookId);
            if (webhook.enabled === 0) throw new ApiError('WEBHOOK_DISABLED');
            const ids = await findMessagesBetween(tx, webhookId, { ...range, limit: REPLAY_MAX });
            return {
              resource: resourceOf(webhook),
              before: null,
              after: { ...range, replayed: ids.length },
              async write() {
                for (const id of ids) {
                  await updateMessage(tx, id, {
                    status: 'pending',
                    next_attempt_at: at,
                    attempts: 0,
                    once: 0,
                  });
                }
                return { replayed: ids.length };
              },
            };
          },
        },
        options,
      ),
  };
}
