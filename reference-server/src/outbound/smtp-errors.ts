import type { SmtpServer } from './smtp-url.ts';

/** An error of nodemailer. */
export type SmtpError = Error & {
  readonly code?: string;
  /** The command that the server refused, such as `RCPT TO`; `API` if no command was sent. */
  readonly command?: string;
  /** The server's answer. */
  readonly response?: string;
  readonly responseCode?: number;
};

/** What went wrong with an email, and what to do about it. Contains no password. */
export function explainSmtpError(error: SmtpError, server: SmtpServer): string {
  const place = `${server.host}:${server.port}`;
  const said = error.response === undefined ? '' : `: ${clean(error.response)}`;
  switch (error.code) {
    case 'EDNS':
      return `The name ${server.host} cannot be resolved. Check FLAGSVC_SMTP_URL.`;
    case 'ETIMEDOUT':
      return `The mail server ${place} did not answer in time. Check the port, and whether a firewall is in between.`;
    case 'EAUTH':
      return `The mail server ${place} refused the user name or the password${said}. Check FLAGSVC_SMTP_URL; some providers need a password for applications.`;
    case 'ETLS':
      return explainTls(error, place);
    case 'EENVELOPE':
    case 'EMESSAGE':
      return `The mail server ${place} refused ${refusedPart(error)}${said || `: ${clean(error.message)}`}.${laterOrNever(error)}`;
    case 'EPROTOCOL':
      return `The mail server ${place} accepts no email from this server at the moment${said || `: ${clean(error.message)}`}.`;
    case 'ESOCKET':
    case 'ECONNECTION':
      return explainSocket(error, server);
    default:
      return `The mail server ${place} failed: ${clean(error.message)}`;
  }
}

function refusedPart({ command }: SmtpError): string {
  if (command === 'MAIL FROM') return 'the sender. Check FLAGSVC_MAIL_FROM. It said';
  if (command === 'RCPT TO' || command === 'API') return 'the recipient';
  return 'the email';
}

function laterOrNever({ responseCode = 0 }: SmtpError): string {
  return responseCode >= 400 && responseCode < 500
    ? ' It may accept a later attempt, for example when it delays unknown senders (greylisting).'
    : '';
}

function explainTls(error: SmtpError, place: string): string {
  const isCertificate = /certificate|self.signed|altnames/i.test(error.message);
  if (isCertificate) {
    return `The certificate of the mail server ${place} is not valid: ${clean(error.message)}. If a private authority has issued it, set NODE_EXTRA_CA_CERTS to the authority's certificate.`;
  }
  return `The mail server ${place} did not agree on TLS: ${clean(error.message)}. If it supports no TLS, add "?starttls=optional" to FLAGSVC_SMTP_URL; if it uses TLS from the start, write smtps://.`;
}

function explainSocket(error: SmtpError, server: SmtpServer): string {
  const place = `${server.host}:${server.port}`;
  if (/ECONNREFUSED/.test(error.message)) return `Nothing listens at ${place}. Check FLAGSVC_SMTP_URL.`;
  if (/certificate|self.signed|altnames/i.test(error.message)) return explainTls(error, place);
  if (/wrong version number|packet length|EPROTO/i.test(error.message)) {
    return `The mail server ${place} does not use TLS from the start. Write smtp:// instead of smtps://.`;
  }
  const said = error.response === undefined ? clean(error.message) : clean(error.response);
  return `The connection to the mail server ${place} failed: ${said}.`;
}

function clean(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .replace(/\.$/, '')
    .slice(0, 500);
}
