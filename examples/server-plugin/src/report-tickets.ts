import type { PluginContext } from '@flagsvc/reference-server/plugin';
import { listUnreported, markReported } from './ticket-store.ts';

/** A ticket that was used for a change. */
export interface UsedTicket {
  readonly ticket: string;
  readonly action: string;
  readonly resourceId: string;
  readonly usedAt: string;
}

/** Sends one ticket to the ticket system. After a failure it is called again for the same ticket. */
export type SendTicket = (used: UsedTicket) => Promise<void>;

const BATCH_SIZE = 100;

/** Creates the function that sends unreported tickets, oldest first. It stops at the first failure. */
export function createReporter({ db, now, log }: PluginContext, send: SendTicket): () => Promise<void> {
  let running: Promise<void> | undefined;

  const report = async (): Promise<void> => {
    for (const { id, ticket, action, resource_id, used_at } of await listUnreported(db, BATCH_SIZE)) {
      try {
        await send({ ticket, action, resourceId: resource_id, usedAt: used_at });
      } catch (err) {
        log.warn({ err, ticket }, 'change ticket not reported');
        return;
      }
      await markReported(db, id, new Date(now()).toISOString());
    }
  };

  return () => {
    running ??= report().finally(() => {
      running = undefined;
    });
    return running;
  };
}
