import { setImmediate } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Database, Tx } from '../../storage/database.ts';
import type { Mail } from './mail.ts';
import type { MailQueue } from './mail-queue.ts';
import type { MailSender } from './mail-sender.ts';

/** Queues emails. A queued email survives a restart; it is sent in the background and tried again when that fails. */
export interface Mailer {
  /** False when no mail transport is configured: emails are then only logged, without their text. */
  readonly canSend: boolean;
  /** Queues emails in the transaction of the change that they are about. Call `wake` after the commit. */
  put(tx: Tx, mails: readonly Mail[]): Promise<void>;
  /** Starts sending what is queued. Without this call, a background job does so within seconds. */
  wake(): void;
  /**
   * Runs `prepare` after the response has been sent, in the order of the calls, and queues the emails that it resolves
   * to. The response time thus does not reveal whether there was an email.
   */
  enqueue(prepare: () => Promise<readonly Mail[]>): void;
  /** Resolves when everything enqueued is queued, and nothing is being sent. */
  settled(): Promise<void>;
  /** Queues what is enqueued, then waits up to 3 s for the emails that are being sent. */
  stop(): Promise<void>;
}

export interface MailerDeps {
  readonly db: Database;
  readonly queue: MailQueue;
  /** Absent: no mail transport is configured. */
  readonly sender?: MailSender | undefined;
  readonly log: Pick<FastifyBaseLogger, 'warn'> | undefined;
  readonly onError: (error: unknown) => void;
}

export function createMailer({ db, queue, sender, log, onError }: MailerDeps): Mailer {
  const pending = new Set<Promise<void>>();
  let last: Promise<unknown> = Promise.resolve();

  const logUnsent = (mails: readonly Mail[]): void => {
    for (const { to, subject } of mails) {
      log?.warn({ to, subject }, 'email not sent: no mail transport is configured; set FLAGSVC_SMTP_URL');
    }
  };
  const putAll = async (mails: readonly Mail[]): Promise<void> => {
    if (mails.length === 0) return;
    if (sender === undefined) return logUnsent(mails);
    await db.transaction().execute((tx) => queue.put(tx, mails));
    sender.wake();
  };
  const allQueued = async (): Promise<void> => {
    while (pending.size > 0) await Promise.all(pending);
  };

  return {
    canSend: sender !== undefined,
    put: async (tx, mails) => (sender === undefined ? logUnsent(mails) : queue.put(tx, mails)),
    wake: () => sender?.wake(),
    enqueue(prepare) {
      const prepared = last.then(() => setImmediate()).then(prepare);
      last = prepared.catch(() => {});
      const work = prepared
        .then(putAll)
        .catch(onError)
        .finally(() => pending.delete(work));
      pending.add(work);
    },
    async settled() {
      await allQueued();
      await sender?.settled();
    },
    async stop() {
      await allQueued();
      await sender?.stop();
    },
  };
}
