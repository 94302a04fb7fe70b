import type { Database, Queryable } from '../../../../storage/database.ts';
import type { Mailer } from '../../../mail/mailer.ts';
import type { WebhookServiceDeps } from '../webhook-service.ts';

const REASONS = {
  gone: 'the receiver answered 410 Gone',
  failing: 'no delivery has succeeded for five days',
} as const;

/** The admins of an organization who can log in. */
export type ListAdmins = (
  db: Queryable,
  organizationId: string,
) => Promise<readonly { readonly email: string }[]>;

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
      return admins.map(({ email }) => ({
        to: email,
        subject: `The webhook to ${origin} was disabled`,
        text: `The webhook ${webhook.id} to ${origin} was disabled: ${REASONS[reason]}.\n\nEnable it when the receiver works again. You can then replay the messages that it missed.`,
      }));
    });
}
