import type { Database, Queryable } from '../../../storage/database.ts';
import type { Mail, Mailer } from '../../mail/mailer.ts';
import type { CommittedEvent } from '../../outbox/outbox-store.ts';
import { findBreakGlass } from './break-glass-store.ts';

/** The topics that admins are notified of, with the word for the subject line. */
const WORDS: Readonly<Record<string, 'opened' | 'used' | 'closed' | 'overdue'>> = {
  'break_glass.opened': 'opened',
  'break_glass.used': 'used',
  'break_glass.closed': 'closed',
  'break_glass.overdue': 'overdue',
};

/** Sends e-mail about break-glass sessions to the admins of the organization. */
export interface BreakGlassNotifier {
  /** True for the topics that lead to a message. */
  isNotified(topic: string): boolean;
  /**
   * Queues a message to every admin when a session is opened, used or closed, or its review is overdue. Several events
   * of a session in one call lead to a single message, which is about the first event.
   */
  notify(events: readonly CommittedEvent[]): void;
}

export function createBreakGlassNotifier(deps: {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly listAdmins: (
    db: Queryable,
    organizationId: string,
  ) => Promise<readonly { readonly email: string }[]>;
}): BreakGlassNotifier {
  const { db, mailer, listAdmins } = deps;

  const write = async ({ topic, entry }: CommittedEvent): Promise<readonly Mail[]> => {
    const { organization_id: organizationId, resource_id: id } = entry;
    const row = await findBreakGlass(db, organizationId, id);
    if (row === undefined) return [];
    const what = WORDS[topic];
    const admins = await listAdmins(db, organizationId);
    return admins.map(({ email }) => ({
      to: email,
      subject:
        what === 'overdue'
          ? `The review of a break-glass session by ${row.opened_by_email} is overdue`
          : `Break-glass ${what} by ${row.opened_by_email}`,
      text: `${row.opened_by_email} has a break-glass session (${id}, used ${row.uses_count} times).\n\nJustification: ${row.justification}\n\nAnother admin has to review it once it is closed.`,
    }));
  };

  const isNotified = (topic: string): boolean => Object.hasOwn(WORDS, topic);
  return {
    isNotified,
    notify(events) {
      const calls = new Set<string>();
      for (const event of events) {
        const { resource_id, request_id, id } = event.entry;
        const call = `${resource_id} ${request_id ?? id}`;
        if (!isNotified(event.topic) || calls.has(call)) continue;
        calls.add(call);
        mailer.enqueue(() => write(event));
      }
    },
  };
}
