import { setImmediate } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** One message to one person, in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends a message, or takes it for sending. What it throws is logged and changes no answer. */
export type SendMail = (mail: Mail) => Promise<void>;

/** Says that there is a message and to whom, and sends nothing: what no mail server is configured for. */
export function createMailHint(log: Pick<FastifyBaseLogger, 'warn'> | undefined): SendMail {
  return async ({ to, subject }) => {
    log?.warn({ to, subject }, 'a message was not sent: this installation has no mail');
  };
}

/** Writes and sends beside the requests that cause it, so that no answer tells by its time that there was something. */
export interface Outgoing {
  /** Calls `write` later; the message that it resolves to, if any, is sent. */
  post(write: () => Promise<readonly Mail[]>): void;
  /** Resolves when everything that was posted has been sent or has failed. */
  settled(): Promise<void>;
}

export function createOutgoing(send: SendMail, onError: (error: unknown) => void): Outgoing {
  const pending = new Set<Promise<void>>();
  let writing: Promise<unknown> = Promise.resolve();
  return {
    post(write) {
      // One after the other, so that messages go out in the order of what they tell.
      const written = writing.then(() => setImmediate()).then(write);
      writing = written.catch(() => {});
      const work = written
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
