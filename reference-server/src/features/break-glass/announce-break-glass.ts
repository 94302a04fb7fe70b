import type { Database, Queryable } from '../../storage/database.ts';
import type { Mail, Outgoing } from '../users/mail.ts';
import type { AdmitDeps } from './admit-change.ts';
import { findBreakGlass } from './break-glass-store.ts';

/**
 * Tells every admin of the organization at once, by a message, that a session was opened, used or closed, or that its
 * review is overdue.
 */
export function createAnnouncement(deps: {
  readonly db: Database;
  readonly outgoing: Outgoing;
  readonly listAdmins: (
    db: Queryable,
    organizationId: string,
  ) => Promise<readonly { readonly email: string }[]>;
}): AdmitDeps['announce'] {
  const { db, outgoing, listAdmins } = deps;
  return (organizationId, id, what) =>
    outgoing.post(async () => {
      // Posted inside a transaction: if that was undone, there is nothing to tell.
      const row = await findBreakGlass(db, organizationId, id);
      if (row === undefined) return [];
      const admins = await listAdmins(db, organizationId);
      return admins.map(
        ({ email }): Mail => ({
          to: email,
          subject:
            what === 'overdue'
              ? `The review of a break-glass session by ${row.opened_by_email} is overdue`
              : `Break-glass ${what} by ${row.opened_by_email}`,
          text: `${row.opened_by_email} has a break-glass session (${id}, used ${row.uses_count} times).\n\nJustification: ${row.justification}\n\nAnother admin has to review it once it is closed.`,
        }),
      );
    });
}
