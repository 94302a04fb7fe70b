import type { BatchReceipt } from '../../../data-plane/ports.ts';
import { DatabaseUnavailable } from '../../../storage/unavailable.ts';
import type { EventStore, ReceivedBatch } from './event-store.ts';

/** Events and counters of one transaction; more would hold up the batches that arrive meanwhile. */
const GROUP_ITEMS_MAX = 4_000;
const GROUP_BATCHES_MAX = 250;
/** Batches that wait. More arrive only if the database is much slower than the clients. */
const WAITING_MAX = 5_000;

export interface EventIntake {
  /** Stores a batch durably and returns its receipt. Rejects with DatabaseUnavailable if too many batches wait. */
  accept(batch: ReceivedBatch): Promise<BatchReceipt>;
}

interface Waiting {
  readonly batch: ReceivedBatch;
  readonly resolve: (receipt: BatchReceipt) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores batches in groups: those that arrive while a transaction runs share the next one. A busy server thus commits as
 * often as its disk can, and an idle one stores each batch at once.
 */
export function createEventIntake({ write }: Pick<EventStore, 'write'>): EventIntake {
  let queue: Waiting[] = [];
  let isWriting = false;

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (queue.length > 0) {
      const group = takeGroup(queue);
      queue = queue.slice(group.length);
      await writeGroup(group);
    }
    isWriting = false;
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const receipts = await write(group.map(({ batch }) => batch));
      group.forEach(({ resolve }, index) => {
        resolve(receipts[index]!);
      });
    } catch (error) {
      const isAlone = group.length === 1 || error instanceof DatabaseUnavailable;
      if (isAlone) for (const { reject } of group) reject(error);
      // One batch that cannot be stored must not take the others with it.
      else for (const waiting of group) await writeGroup([waiting]);
    }
  }

  return {
    accept(batch) {
      if (queue.length >= WAITING_MAX) {
        const message = 'events arrive faster than the database stores them';
        return Promise.reject(new DatabaseUnavailable(message));
      }
      return new Promise((resolve, reject) => {
        queue.push({ batch, resolve, reject });
        if (!isWriting) void writeWaiting();
      });
    },
  };
}

/** The batches at the head of the queue that fit into one transaction; at least one. */
function takeGroup(queue: readonly Waiting[]): readonly Waiting[] {
  let items = 0;
  const end = queue.findIndex(({ batch }, index) => {
    items += itemsOf(batch);
    return index > 0 && (items > GROUP_ITEMS_MAX || index >= GROUP_BATCHES_MAX);
  });
  return end === -1 ? [...queue] : queue.slice(0, end);
}

const itemsOf = ({ events }: ReceivedBatch): number =>
  events.reduce((sum, event) => sum + (event.type === 'summary' ? event.counters.length : 1), 0);
