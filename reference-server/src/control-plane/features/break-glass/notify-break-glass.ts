import type { Database, Queryable } from '../../../storage/database.ts';
import type { Mail, Mailer } from '../../mail/mailer.ts';
import type { CommittedEvent } from '../../outbox/outbox-store.ts';
import { findBreakGlass } from './break-glass-store.ts';

/** What admins hear of a session, by the name of the event; `overdue` is its review. */
const NEWS: Readonly<Record<string, 'opened' | 'used' | 'closed' | 'overdue'>> = {
  'break_glass.opened': 'opened',
  'break_glass.used': 'used',
  'break_glass.closed': 'closed',
  'break_glass.overdue': 'overdue',
};

/** Messages to admins about what was committed. */
export interface BreakGlassNews {
  isNews(topic: string): boolean;
  /**
   * Tells every admin of the organization that a session was opened, used or closed, or that its review is overdue. What
   * one call did is one message, named after the first of it.
   */
  tell(events: readonly CommittedEvent[]): void;
}

export function createBreakGlassNews(deps: {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly listAdmins: (
    db: Queryable,
    organizationId: string,
  ) => Promise<readonly { readonly email: string }[]>;
}): BreakGlassNews {
  const { db, mailer, listAdmins } = deps;

  const write = async ({ topic, entry }: CommittedEvent): Promise<readonly Mail[]> => {
    const { organization_id: organizationId, resource_id: id } = entry;
    const row = await findBreakGlass(db, organizationId, id);
    if (row === undefined) return [];
    const what = NEWS[topic];
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

  const isNews = (topic: string): boolean => Object.hasOwn(NEWS, topic);
  return {
    isNews,
    tell(events) {
      const calls = new Set<string>();
      for (const event of events) {
        const { resource_id, request_id, id } = event.entry;
        const call = `${resource_id} ${request_id ?? id}`;
        if (!isNews(event.topic) || calls.has(call)) continue;
        calls.add(call);
        mailer.enqueue(() => write(event));
      }
    },
  };
}
