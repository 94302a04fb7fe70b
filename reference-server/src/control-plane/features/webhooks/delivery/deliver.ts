import type { Database } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { OutboxNotices } from '../../../mail/outbox-notices.ts';
import { createOutboxConsumer } from '../../../outbox/outbox-consumer.ts';
import { listEnabledWebhooks } from '../webhook-store.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import { enqueueMessages } from './enqueue-messages.ts';

export interface DeliverDeps {
  readonly db: Database;
  readonly newId: NewId;
  readonly now: () => number;
  readonly worker: DeliveryWorker;
  readonly notices: OutboxNotices;
  readonly isLeading: () => boolean;
  readonly onError: (error: unknown) => void;
}

export interface Deliveries {
  /** Turns outbox events into messages and starts sending what is due. */
  deliver(): Promise<void>;
  /**
   * Calls `deliver` after the current iteration of the event loop, unless such a call is pending already or nothing
   * would be sent.
   */
  deliverSoon(): void;
}

export function createDeliveries(deps: DeliverDeps): Deliveries {
  const { db, newId, now, worker, notices, isLeading, onError } = deps;
  /** Whether the organization of the last outbox event has webhooks. */
  let hasWebhooks = false;
  let isPending = false;
  const outbox = createOutboxConsumer({
    db,
    now,
    isNotified: notices.isNotified,
    notify: notices.put,
    afterCommit: notices.wake,
    async hasWebhooks(tx, organizationId) {
      hasWebhooks = (await listEnabledWebhooks(tx, organizationId)).length > 0;
      return hasWebhooks;
    },
    enqueue: (tx, event, at) => enqueueMessages(tx, { newId, event, at }),
  });
  const deliver = async (): Promise<void> => {
    await outbox.drain();
    await worker.wake();
  };
  return {
    deliver,
    deliverSoon() {
      if (!hasWebhooks || isPending || !isLeading()) return;
      isPending = true;
      setImmediate(() => {
        isPending = false;
        deliver().catch(onError);
      });
    },
  };
}
