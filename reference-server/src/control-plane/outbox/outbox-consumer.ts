import type { Database, Tx } from '../../storage/database.ts';
import { writeExclusively } from '../../storage/transactions.ts';
import { type CommittedEvent, findEvents, findUndelivered, markDelivered } from './outbox-store.ts';

export interface OutboxDeps {
  readonly db: Database;
  readonly now: () => number;
  /** True when the organization has webhooks; otherwise most of its events are skipped without being loaded. */
  readonly hasWebhooks: (tx: Tx, organizationId: string) => Promise<boolean>;
  /** True for topics about which people are notified, with or without webhooks. */
  readonly isNotified: (topic: string) => boolean;
  /** Queues an event's webhook messages, in the transaction that marks the event as delivered. */
  readonly enqueue: (tx: Tx, event: CommittedEvent, at: string) => Promise<void>;
  /** Queues emails about the events, in the same transaction. */
  readonly notify: (tx: Tx, events: readonly CommittedEvent[]) => Promise<void>;
  /** Called after a commit that delivered events. */
  readonly afterCommit: () => void;
}

/** Delivers the events of committed changes in order, each exactly once. */
export interface OutboxConsumer {
  /** Resolves when the outbox is empty. Concurrent calls share one run. */
  drain(): Promise<void>;
}

/** Rows per transaction, which blocks other writers while it runs. */
const BATCH_SIZE = 200;

export function createOutboxConsumer(deps: OutboxDeps): OutboxConsumer {
  const { db, now, enqueue, notify, afterCommit } = deps;
  let running: Promise<void> | undefined;

  /** Returns the number of rows; fewer than a batch means that the outbox is empty. */
  async function deliverBatch(): Promise<number> {
    const count = await writeExclusively(db, 'outbox', async (tx) => {
      const rows = await findUndelivered(tx, BATCH_SIZE);
      if (rows.length === 0) return 0;
      const at = new Date(now()).toISOString();
      const events = await findEvents(tx, await selectRows(tx, deps, rows));
      for (const event of events) await enqueue(tx, event, at);
      await notify(tx, events);
      await markDelivered(tx, rows, at);
      return rows.length;
    });
    if (count > 0) afterCommit();
    return count;
  }

  async function deliverAll(): Promise<void> {
    while ((await deliverBatch()) === BATCH_SIZE);
  }

  return {
    drain() {
      running ??= deliverAll().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Selects the rows of organizations with webhooks, and the rows about which people are notified. */
async function selectRows<Row extends { readonly organization_id: string; readonly topic: string }>(
  tx: Tx,
  { hasWebhooks, isNotified }: OutboxDeps,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const withWebhooks = new Set<string>();
  for (const id of new Set(rows.map((row) => row.organization_id))) {
    if (await hasWebhooks(tx, id)) withWebhooks.add(id);
  }
  return rows.filter((row) => isNotified(row.topic) || withWebhooks.has(row.organization_id));
}
