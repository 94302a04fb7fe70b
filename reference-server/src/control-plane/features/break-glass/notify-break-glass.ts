import type { DashboardLinks } from '../../mail/dashboard-links.ts';
import { composeMail, toOneLine } from '../../mail/mail.ts';
import type { ListAdmins, NoticeSource } from '../../mail/outbox-notices.ts';
import { scopeOf } from './break-glass-state.ts';
import { findBreakGlass, findProjectOf } from './break-glass-store.ts';

/** The topics that admins are notified of, with the word for the subject line. */
const WORDS: Readonly<Record<string, 'opened' | 'used' | 'closed' | 'overdue'>> = {
  'break_glass.opened': 'opened',
  'break_glass.used': 'used',
  'break_glass.closed': 'closed',
  'break_glass.overdue': 'overdue',
};

const JUSTIFICATION_MAX = 1_000;

/** Emails every admin when a break-glass session is opened, used or closed, or its review is overdue. */
export function createBreakGlassNotices(
  listAdmins: ListAdmins,
  links: Pick<DashboardLinks, 'breakGlass'>,
): NoticeSource {
  return {
    topics: Object.keys(WORDS),
    async write(db, { topic, entry }) {
      const { organization_id: organizationId, resource_id: id } = entry;
      const row = await findBreakGlass(db, organizationId, id);
      if (row === undefined) return [];
      const what = WORDS[topic];
      const by = toOneLine(row.opened_by_email);
      const projectId = await findProjectOf(db, organizationId, scopeOf(row));
      const link = projectId && links.breakGlass({ organizationId, projectId, id });
      const admins = await listAdmins(db, organizationId);
      return admins.map(({ email }) =>
        composeMail({
          to: email,
          subject:
            what === 'overdue'
              ? `The review of a break-glass session by ${by} is overdue`
              : `Break-glass ${what} by ${by}`,
          paragraphs: [
            `${by} has a break-glass session (${id}, used ${row.uses_count} times).`,
            `Justification: ${toOneLine(row.justification, JUSTIFICATION_MAX)}`,
            'Another admin has to review it once it is closed.',
            ...(link === undefined ? [] : [`See and review it: ${link}`]),
          ],
        }),
      );
    },
  };
}
