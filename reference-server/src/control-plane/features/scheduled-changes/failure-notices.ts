import { composeMail, toOneLine } from '../../mail/mail.ts';
import type { ListAdmins, NoticeSource } from '../../mail/outbox-notices.ts';
import { findScheduledChange } from './scheduled-change-store.ts';

const MESSAGE_MAX = 500;

/**
 * Emails the author of a scheduled change that was not executed. The author of a change by a service account is nobody
 * who reads email, so all admins are notified instead.
 */
export function createScheduleNotices(listAdmins: ListAdmins): NoticeSource {
  return {
    topics: ['scheduled_change.failed', 'scheduled_change.conflicted'],
    async write(db, { topic, entry }) {
      const { organization_id: organizationId, resource_id: id } = entry;
      const row = await findScheduledChange(db, organizationId, id);
      if (row === undefined) return [];
      const flag = await db
        .selectFrom('flags')
        .select('key')
        .where('organization_id', '=', organizationId)
        .where('id', '=', row.flag_id)
        .executeTakeFirst();
      const author = await db
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select('users.email')
        .where('memberships.organization_id', '=', organizationId)
        .where('users.id', '=', row.created_by)
        .where('users.disabled_at', 'is', null)
        .executeTakeFirst();
      const key = toOneLine(flag?.key ?? row.flag_id);
      const { message = '' } = JSON.parse(row.error_json ?? '{}') as { message?: string };
      const why = topic === 'scheduled_change.conflicted' ? 'the flag has changed meanwhile' : 'it failed';
      const people = author === undefined ? await listAdmins(db, organizationId) : [author];
      return people.map(({ email }) =>
        composeMail({
          to: email,
          subject: `The scheduled change of ${key} was not executed`,
          paragraphs: [
            `The change of the flag "${key}" that was scheduled for ${row.execute_at} (${id}) was not executed, because ${why}.`,
            ...(message === '' ? [] : [`The error was: ${toOneLine(message, MESSAGE_MAX)}`]),
            'Edit the scheduled change and give it a new time, or cancel it.',
          ],
        }),
      );
    },
  };
}
