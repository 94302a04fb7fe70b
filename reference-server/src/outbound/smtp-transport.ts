import { createTransport } from 'nodemailer';
import { MailRefused, MailServerUnreachable, type OutgoingMail } from './send-mail.ts';
import { explainSmtpError, type SmtpError } from './smtp-errors.ts';
import type { MailAddress, SmtpServer } from './smtp-url.ts';

/** Excludes everything that could end an address or add another one. */
const RECIPIENT = /^[^\s@,;:<>()"\\\p{Cc}]+@[^\s@,;:<>()"\\\p{Cc}]+$/u;

/** Limits of one attempt, in milliseconds. */
export interface SmtpLimits {
  /** To connect, including the greeting and TLS. */
  readonly connectMs: number;
  /** Without any byte from the server. */
  readonly idleMs: number;
  /** In total. */
  readonly totalMs: number;
}

const LIMITS: SmtpLimits = { connectMs: 15_000, idleMs: 20_000, totalMs: 60_000 };

/**
 * Sends each email over a connection of its own, and resolves to the server's answer. Rejects with MailRefused when the
 * server will never accept the email, with MailServerUnreachable when it accepts none at the moment, and with another
 * error when a later attempt may succeed. The messages say in words what happened.
 */
export function createSmtpTransport({
  server,
  from,
  limits = LIMITS,
}: {
  readonly server: SmtpServer;
  readonly from: MailAddress;
  readonly limits?: SmtpLimits;
}): (mail: OutgoingMail) => Promise<string> {
  const { host, port, credentials, tls } = server;
  const options = {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    opportunisticTLS: tls === 'optional',
    ignoreTLS: tls === 'off',
    ...(tls === 'optional' && { tls: { rejectUnauthorized: false } }),
    ...(credentials !== null && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.connectMs,
    dnsTimeout: limits.connectMs,
    socketTimeout: limits.idleMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  return async ({ id, to, subject, text, html }) => {
    if (!RECIPIENT.test(to)) {
      throw new MailRefused(`"${toOneLineAnswer(to)}" is not an email address.`);
    }
    const signal = AbortSignal.timeout(limits.totalMs);
    const transport = createTransport(options);
    try {
      const sent = transport.sendMail({
        from: { name: from.name, address: from.address },
        to: { name: '', address: to },
        envelope: { from: from.address, to: [to] },
        messageId: `<${id}@${domain}>`,
        subject,
        text,
        html,
        // Keeps out-of-office replies away.
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      const { response } = await Promise.race([sent, rejectOnAbort(signal)]);
      return toOneLineAnswer(response);
    } catch (cause) {
      throw toMailError(cause as SmtpError, server);
    } finally {
      transport.close();
    }
  };
}

/** The server's answer without control characters. */
export function toOneLineAnswer(answer: string): string {
  return answer
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 500);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }));
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Commands whose refusal with a code from 500 concerns this email alone, not the sender or the server. */
const ABOUT_THE_EMAIL: ReadonlySet<string | undefined> = new Set(['RCPT TO', 'DATA']);
/** Errors of nodemailer that concern a single email. */
const OF_ONE_EMAIL: ReadonlySet<string | undefined> = new Set(['EENVELOPE', 'EMESSAGE']);

function toMailError(error: SmtpError, server: SmtpServer): Error {
  const { code, command, responseCode = 0, response } = error;
  const message = explainSmtpError(error, server);
  const answer = response === undefined ? null : toOneLineAnswer(response);
  const isOfOneEmail = OF_ONE_EMAIL.has(code);
  const isFinal = responseCode >= 500 || command === 'API';
  const isRefused = isOfOneEmail && isFinal && (ABOUT_THE_EMAIL.has(command) || command === 'API');
  const Kind = isRefused ? MailRefused : isOfOneEmail ? Error : MailServerUnreachable;
  return Object.assign(new Kind(message, { cause: error }), { answer });
}
