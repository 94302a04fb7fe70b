import { setImmediate } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** One email to one person, in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends an email or queues it elsewhere. An error is logged and does not affect any response. */
export type SendMail = (mail: Mail) => Promise<void>;

/** Used when no mail transport is configured: logs a warning with the recipient and the subject of each email. */
export function logUnsentMail(log: Pick<FastifyBaseLogger, 'warn'> | undefined): SendMail {
  return async ({ to, subject }) => {
    log?.warn({ to, subject }, 'email not sent: no mail transport is configured');
  };
}

/**
 * Prepares and sends emails after the response has been sent, so that the response time does not reveal whether there
 * was an email.
 */
export interface Mailer {
  /** Runs `prepare` later, in the order of the calls, and sends the emails that it resolves to. */
  enqueue(prepare: () => Promise<readonly Mail[]>): void;
  /** Resolves when everything enqueued has been sent or has failed. */
  settled(): Promise<void>;
}

export function createMailer(send: SendMail, onError: (error: unknown) => void): Mailer {
  const pending = new Set<Promise<void>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    enqueue(prepare) {
      const prepared = last.then(() => setImmediate()).then(prepare);
      last = prepared.catch(() => {});
      const work = prepared
        .then(async (mails) => {
          for (const mail of mails) await send(mail);
        })
        .catch(onError)
        .finally(() => pending.delete(work));
      pending.add(work);
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
