import type { FastifyBaseLogger } from 'fastify';
import { createSealer } from '../../lib/sealed-text.ts';
import type { SendMail } from '../../outbound/send-mail.ts';
import type { Database } from '../../storage/database.ts';
import type { NewId } from '../../storage/ids.ts';
import type { Feature } from '../feature.ts';
import type { WriteGate } from '../write-gate/change.ts';
import { createMailQueue } from './mail-queue.ts';
import { createMailSender, type MailSenderDeps } from './mail-sender.ts';
import { createMailer, type Mailer } from './mailer.ts';
import { createTestMail } from './test-mail.ts';
import { mailRoutes } from './test-mail-routes.ts';

export interface MailFeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  /** Seals queued emails. */
  readonly apiSecretKey: string;
  /** Absent: no mail transport is configured. */
  readonly sendMail?: SendMail | undefined;
  readonly log: FastifyBaseLogger | undefined;
  readonly count?: MailSenderDeps['count'];
}

export type MailFeature = Feature<Mailer>;

/** Queues emails in the database and sends them in the background; sends test emails at once. */
export function createMailFeature(deps: MailFeatureDeps): MailFeature {
  const { db, gate, newId, now, log, sendMail, count } = deps;
  const queue = createMailQueue({ db, sealer: createSealer(deps.apiSecretKey, 'mail'), newId, now });
  const sender =
    sendMail &&
    createMailSender({
      queue,
      send: sendMail,
      now,
      count,
      onFault({ outcome, ...fault }) {
        if (outcome === 'lost') log?.error(fault, 'email not sent, and not tried again');
        else log?.warn(fault, 'email not sent yet; it is tried again');
      },
      onError: (err) => log?.error({ err }, 'emails could not be sent'),
    });
  const onError = (err: unknown) =>
    log?.error({ err }, 'an email, or the audit entry of a failed login, was lost');
  const mailer = createMailer({ db, queue, sender, log, onError });
  const testMail = createTestMail({ gate, newId, sendMail, log });
  return {
    service: mailer,
    routes: async (app) => void (await app.register(mailRoutes, { testMail })),
    jobs: [
      {
        name: 'mail',
        run: async () => mailer.wake(),
        settled: mailer.settled,
        stop: mailer.stop,
      },
    ],
  };
}
