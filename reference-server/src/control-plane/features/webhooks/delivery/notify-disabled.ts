import type { Database, Queryable } from '../../../../storage/database.ts';
import type { Mailer } from '../../../mail/mailer.ts';
import type { WebhookDeps } from '../webhook-service.ts';

const WHY = {
  gone: 'the receiver answered 410 Gone',
  failing: 'no message has arrived for five days',
} as const;

/** Tells every admin of the organization that a webhook was disabled. */
export function createDisabledNotice(deps: {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly listAdmins: (
    db: Queryable,
    organizationId: string,
  ) => Promise<readonly { readonly email: string }[]>;
}): WebhookDeps['announceDisabled'] {
  const { db, mailer, listAdmins } = deps;
  return (webhook, reason) =>
    mailer.enqueue(async () => {
      const admins = await listAdmins(db, webhook.organization_id);
      const { origin } = new URL(webhook.url);
      return admins.map(({ email }) => ({
        to: email,
        subject: `The webhook to ${origin} was disabled`,
        text: `The webhook ${webhook.id} to ${origin} was disabled: ${WHY[reason]}.\n\nEnable it when the receiver works again; what it has missed can then be replayed.`,
      }));
    });
}
