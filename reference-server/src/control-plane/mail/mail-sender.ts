import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { MailRefused, MailServerUnreachable, type SendMail } from '../../outbound/send-mail.ts';
import type { Mail } from './mail.ts';
import type { MailQueue, QueuedMail } from './mail-queue.ts';

/** What became of an attempt: `delayed` emails are tried again, `lost` ones are not. */
export type MailOutcome = 'sent' | 'delayed' | 'lost';

/** Sends queued emails. */
export interface MailSender {
  /** Starts sending what is due; resolves at once. */
  wake(): void;
  /** Resolves when no email is being sent. */
  settled(): Promise<void>;
  /** Starts no more emails and waits up to 3 s for those under way; interrupted ones are sent again after a restart. */
  stop(): Promise<void>;
}

export interface MailSenderDeps {
  readonly queue: MailQueue;
  readonly send: SendMail;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Receives every failed attempt and every lost email. `to` is the recipient. */
  readonly onFault: (fault: {
    readonly outcome: Exclude<MailOutcome, 'sent'>;
    readonly id: string;
    readonly to: string | undefined;
    readonly subject: string | undefined;
    readonly attempts: number;
    readonly reason: string;
  }) => void;
  readonly onError: (error: unknown) => void;
  readonly count?: ((outcome: MailOutcome) => void) | undefined;
}

/**
 * Delays after each attempt. The first exceeds the time limit of an attempt, so that no other process begins a second
 * attempt during the first one.
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  1.5 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
];
const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
/** Pause of this process after it could not use the mail server. */
const PAUSE_MS = 30_000;
const CONNECTIONS_MAX = 3;
const BATCH_SIZE = 30;
const STOP_PATIENCE_MS = 3_000;

export function createMailSender(deps: MailSenderDeps): MailSender {
  const { queue, now, onFault, onError, count } = deps;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopping = false;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const giveUp = async ({ id, mail, attempts }: QueuedMail, reason: string): Promise<void> => {
    await queue.remove(id);
    count?.('lost');
    onFault({ outcome: 'lost', id, to: mail?.to, subject: mail?.subject, attempts, reason });
  };

  /** Sends a claimed email. `attempts` includes this attempt. */
  const attempt = async (queued: QueuedMail, mail: Mail, nextAt: string): Promise<void> => {
    const { id, attempts, expires_at } = queued;
    const { lifetimeMs: _, ...content } = mail;
    try {
      await deps.send({ ...content, id });
    } catch (error) {
      const reason = (error as Error).message;
      if (isStopping) return;
      if (error instanceof MailServerUnreachable) pausedUntil = now() + PAUSE_MS;
      const isLast = attempts >= ATTEMPTS_MAX || nextAt >= expires_at;
      if (isLast || error instanceof MailRefused) return giveUp(queued, reason);
      count?.('delayed');
      return onFault({ outcome: 'delayed', id, to: mail.to, subject: mail.subject, attempts, reason });
    }
    count?.('sent');
    await queue.remove(id);
  };

  const handle = async (queued: QueuedMail): Promise<void> => {
    const { attempts, mail, expires_at } = queued;
    if (mail === undefined) {
      return giveUp(queued, 'it was stored with another FLAGSVC_API_SECRET_KEY');
    }
    if (attempts >= ATTEMPTS_MAX || expires_at <= new Date(now()).toISOString()) {
      return giveUp(queued, 'the time for attempts is over');
    }
    const nextAt = new Date(now() + (RETRY_DELAYS_MS[attempts] ?? HOUR_MS)).toISOString();
    if (await queue.claim(queued, nextAt)) {
      await attempt({ ...queued, attempts: attempts + 1 }, mail, nextAt);
    }
  };

  const isPaused = () => isStopping || now() < pausedUntil;
  /** Sends one batch over several connections. Returns the number of due emails. */
  const sendBatch = async (): Promise<number> => {
    const due = [...(await queue.listDue(BATCH_SIZE))];
    const size = due.length;
    const work = async (): Promise<void> => {
      for (let next = due.shift(); next !== undefined && !isPaused(); next = due.shift()) await handle(next);
    };
    await Promise.all(Array.from({ length: CONNECTIONS_MAX }, work));
    return size;
  };
  const run = async (): Promise<void> => {
    while (!isPaused()) {
      isWanted = false;
      if ((await sendBatch()) < BATCH_SIZE && !isWanted) return;
    }
  };

  const settled = async (): Promise<void> => {
    await running;
  };
  return {
    wake() {
      isWanted = true;
      if (isStopping) return;
      running ??= run()
        .catch((error) => isStopping || onError(error))
        .finally(() => {
          running = undefined;
        }) as Promise<void>;
    },
    settled,
    async stop() {
      isStopping = true;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_PATIENCE_MS);
      });
      await Promise.race([settled(), patience]);
      clearTimeout(timer);
    },
  };
}
