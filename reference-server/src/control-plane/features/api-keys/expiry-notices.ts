import { composeMail, toOneLine } from '../../mail/mail.ts';
import type { ListAdmins, NoticeSource } from '../../mail/outbox-notices.ts';

/** Emails every admin a week before an API key expires, because its applications then stop receiving flags. */
export function createKeyExpiryNotices(listAdmins: ListAdmins): NoticeSource {
  return {
    topics: ['api_key.expiring'],
    async write(db, { entry }) {
      const {
        organization_id: organizationId,
        environment_id,
        resource_key,
        resource_id,
        changes_json,
      } = entry;
      const expiresAt = (JSON.parse(changes_json) as { expires_at?: { to?: string } }).expires_at?.to;
      const environment = await db
        .selectFrom('environments')
        .select('name')
        .where('organization_id', '=', organizationId)
        .where('id', '=', environment_id ?? '')
        .executeTakeFirst();
      if (expiresAt === undefined || environment === undefined) return [];
      const name = toOneLine(resource_key ?? resource_id);
      const where = toOneLine(environment.name);
      const admins = await listAdmins(db, organizationId);
      return admins.map(({ email }) =>
        composeMail({
          to: email,
          subject: `The API key "${name}" expires on ${expiresAt.slice(0, 10)}`,
          paragraphs: [
            `The API key "${name}" (${resource_id}) of the environment "${where}" expires at ${expiresAt}. Applications that use it then receive no more changes of flags.`,
            'Rotate the key and configure the new one in these applications, or change its expiry date.',
          ],
        }),
      );
    },
  };
}
