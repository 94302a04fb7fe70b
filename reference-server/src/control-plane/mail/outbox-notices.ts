import type { Queryable, Tx } from '../../storage/database.ts';
import type { CommittedEvent } from '../outbox/outbox-store.ts';
import type { Mail } from './mail.ts';
import type { Mailer } from './mailer.ts';

/** The emails about some topics of the outbox. */
export interface NoticeSource {
  readonly topics: readonly string[];
  write(db: Queryable, event: CommittedEvent): Promise<readonly Mail[]>;
}

/** Queues emails about events of the outbox, whether or not the organization has webhooks. */
export interface OutboxNotices {
  /** True for the topics that lead to emails. */
  isNotified(topic: string): boolean;
  /**
   * Queues the emails in the transaction that delivers the events. Several events of one resource and one request lead
   * to a single email, which is about the first event.
   */
  put(tx: Tx, events: readonly CommittedEvent[]): Promise<void>;
  /** Starts sending. Call it after the commit. */
  wake(): void;
}

export function createOutboxNotices(mailer: Mailer, sources: readonly NoticeSource[]): OutboxNotices {
  const sourceByTopic = new Map(
    sources.flatMap((source) => source.topics.map((topic) => [topic, source] as const)),
  );
  return {
    isNotified: (topic) => sourceByTopic.has(topic),
    async put(tx, events) {
      const calls = new Set<string>();
      for (const event of events) {
        const { resource_id, request_id, id } = event.entry;
        const call = `${resource_id} ${request_id ?? id}`;
        const source = sourceByTopic.get(event.topic);
        if (source === undefined || calls.has(call)) continue;
        calls.add(call);
        await mailer.put(tx, await source.write(tx, event));
      }
    },
    wake: mailer.wake,
  };
}

/** The admins of an organization who can log in. */
export type ListAdmins = (
  db: Queryable,
  organizationId: string,
) => Promise<readonly { readonly email: string }[]>;
