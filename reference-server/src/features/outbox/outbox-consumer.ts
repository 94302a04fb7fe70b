import type { Database, Tx } from '../../storage/database.ts';
import { type CommittedEvent, findEvents, findUndelivered, markDelivered } from './outbox-store.ts';

export interface OutboxDeps {
  readonly db: Database;
  readonly now: () => number;
  /** Whether anybody wants events of the organization: what nobody wants is not even read. */
  readonly isWanted: (tx: Tx, organizationId: string) => Promise<boolean>;
  /** Takes an event, in the transaction that marks it as taken. */
  readonly take: (tx: Tx, event: CommittedEvent, at: string) => Promise<void>;
}

/** Takes what committed changes have left in the outbox, in their order, each exactly once. */
export interface OutboxConsumer {
  /** Resolves when there is nothing more to take. */
  drain(): Promise<void>;
}

/** A transaction holds the only connection, so it takes no more than this at once. */
const BATCH = 200;

export function createOutboxConsumer({ db, now, isWanted, take }: OutboxDeps): OutboxConsumer {
  let running: Promise<void> | undefined;

  const takeBatch = (): Promise<number> =>
    db.transaction().execute(async (tx) => {
      const rows = await findUndelivered(tx, BATCH);
      if (rows.length === 0) return 0;
      const at = new Date(now()).toISOString();
      const wanted = new Map<string, boolean>();
      for (const { organization_id: id } of rows) {
        if (!wanted.has(id)) wanted.set(id, await isWanted(tx, id));
      }
      const events = await findEvents(
        tx,
        rows.filter((row) => wanted.get(row.organization_id) === true),
      );
      for (const event of events) await take(tx, event, at);
      await markDelivered(tx, rows.at(-1)!.seq, at);
      return rows.length;
    });

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
