import type { FastifyBaseLogger } from 'fastify';
import type { SendMail } from '../../outbound/send-mail.ts';
import type { NewId } from '../../storage/ids.ts';
import type { Actor } from '../access/actor.ts';
import type { WriteGate } from '../write-gate/change.ts';
import { composeMail, toOneLine } from './mail.ts';

/** What the mail server said to a test email. */
export interface TestMailResult {
  /** True when the mail server has accepted the email. */
  readonly sent: boolean;
  /** What happened, in words, with a remedy if something failed. */
  readonly explanation: string;
  /** The last line of the mail server; null if it gave none. */
  readonly answer: string | null;
}

/** Sends a test email now, with an audit entry. */
export type TestMail = (actor: Actor, to: string) => Promise<TestMailResult>;

const NOT_CONFIGURED: TestMailResult = {
  sent: false,
  explanation: 'This server has no mail server: set FLAGSVC_SMTP_URL and FLAGSVC_MAIL_FROM, and restart it.',
  answer: null,
};

export function createTestMail(deps: {
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly sendMail: SendMail | undefined;
  readonly log: Pick<FastifyBaseLogger, 'warn'> | undefined;
}): TestMail {
  const { gate, newId, sendMail, log } = deps;
  return async (actor, to) => {
    const id = newId('eml');
    await gate.applyChange(actor, {
      action: 'mail.tested',
      permission: 'organization.update',
      plan: async () => ({
        resource: { type: 'mail', id, key: to },
        before: null,
        after: {},
        write: async () => undefined,
      }),
    });
    if (sendMail === undefined) return NOT_CONFIGURED;
    const result = await trySending(sendMail, { id, to, by: actor.email });
    if (!result.sent) log?.warn({ id, reason: result.explanation }, 'test email not sent');
    return result;
  };
}

/** Sends a test email once and reports the outcome instead of throwing. `by` is the person who asked for it. */
export async function trySending(
  sendMail: SendMail,
  { id, to, by }: { readonly id: string; readonly to: string; readonly by: string | null },
): Promise<TestMailResult> {
  const who = by === null ? 'Someone' : toOneLine(by);
  const { lifetimeMs: _, ...mail } = composeMail({
    to,
    subject: 'Test email from flagsvc',
    paragraphs: [`${who} asked flagsvc for this test email. It has arrived, so the mail settings are right.`],
  });
  try {
    const answer = await sendMail({ ...mail, id });
    const text = typeof answer === 'string' ? answer : null;
    const explanation = `The mail server has accepted the email to ${to}. If it does not arrive, look into the spam folder and into the log of the mail server.`;
    return { sent: true, explanation, answer: text };
  } catch (error) {
    const { message, answer = null } = error as Error & { answer?: string | null };
    return { sent: false, explanation: message, answer };
  }
}
