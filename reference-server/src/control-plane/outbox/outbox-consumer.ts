import type { Database, Tx } from '../../storage/database.ts';
import { writeAlone } from '../../storage/transactions.ts';
import { type CommittedEvent, findEvents, findUndelivered, markDelivered } from './outbox-store.ts';

export interface OutboxDeps {
  readonly db: Database;
  readonly now: () => number;
  /** Whether webhooks want events of the organization: what nobody wants is not even read. */
  readonly isWanted: (tx: Tx, organizationId: string) => Promise<boolean>;
  /** Whether events of this name are read in any case. */
  readonly isNews: (topic: string) => boolean;
  /** Takes an event, in the transaction that marks it as taken. */
  readonly take: (tx: Tx, event: CommittedEvent, at: string) => Promise<void>;
  /** Told of events that were taken. */
  readonly tell: (events: readonly CommittedEvent[]) => void;
}

/** Takes what committed changes have left in the outbox, in their order, each exactly once. */
export interface OutboxConsumer {
  /** Resolves when there is nothing more to take. */
  drain(): Promise<void>;
}

/** A transaction holds the only connection, so it takes no more than this at once. */
const BATCH = 200;

export function createOutboxConsumer(deps: OutboxDeps): OutboxConsumer {
  const { db, now, isWanted, isNews, take, tell } = deps;
  let running: Promise<void> | undefined;

  const takeBatch = async (): Promise<number> => {
    const { events, count } = await writeAlone(db, 'outbox', async (tx) => {
      const rows = await findUndelivered(tx, BATCH);
      if (rows.length === 0) return { events: [], count: 0 };
      const at = new Date(now()).toISOString();
      const wanted = new Map<string, boolean>();
      for (const { organization_id: id } of rows) {
        if (!wanted.has(id)) wanted.set(id, await isWanted(tx, id));
      }
      const events = await findEvents(
        tx,
        rows.filter((row) => isNews(row.topic) || wanted.get(row.organization_id) === true),
      );
      for (const event of events) await take(tx, event, at);
      await markDelivered(tx, rows, at);
      return { events, count: rows.length };
    });
    tell(events);
    return count;
  };

  const drainAll = async (): Promise<void> => {
    while ((await takeBatch()) === BATCH);
  };

  return {
    drain() {
      running ??= drainAll().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
