import type { Database } from '../../../../storage/database.ts';
import { composeMail, toOneLine } from '../../../mail/mail.ts';
import type { Mailer } from '../../../mail/mailer.ts';
import type { ListAdmins } from '../../../mail/outbox-notices.ts';
import type { WebhookServiceDeps } from '../webhook-service.ts';

const REASONS = {
  gone: 'the receiver answered 410 Gone',
  failing: 'no delivery has succeeded for five days',
} as const;

/** Sends an email to every admin of the organization when a webhook is disabled automatically. */
export function createDisabledNotifier(deps: {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly listAdmins: ListAdmins;
}): WebhookServiceDeps['notifyDisabled'] {
  const { db, mailer, listAdmins } = deps;
  return (webhook, reason) =>
    mailer.enqueue(async () => {
      const admins = await listAdmins(db, webhook.organization_id);
      const { origin } = new URL(webhook.url);
      return admins.map(({ email }) =>
        composeMail({
          to: email,
          subject: `The webhook to ${toOneLine(origin)} was disabled`,
          paragraphs: [
            `The webhook ${webhook.id} to ${toOneLine(origin)} was disabled: ${REASONS[reason]}.`,
            'Enable it when the receiver works again. You can then replay the messages that it missed.',
          ],
        }),
      );
    });
}
