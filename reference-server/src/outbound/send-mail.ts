/** An email to hand to a mail server. */
export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for every attempt, so that a receiver can recognize a duplicate. */
  readonly id: string;
}

/**
 * Hands an email to a mail server and resolves to the server's answer, if it is a string. After a rejection, the email
 * is tried again later, unless the error is a `MailRefused`. A rejection with `MailServerUnreachable` delays all emails.
 */
export type SendMail = (mail: OutgoingMail) => Promise<unknown>;

/** The mail server will never accept this email. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** The mail server cannot be used at the moment, for any email. */
export class MailServerUnreachable extends Error {
  override readonly name = 'MailServerUnreachable';
}
