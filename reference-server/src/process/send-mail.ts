import type { SendMail } from '../outbound/send-mail.ts';
import { createSmtpTransport } from '../outbound/smtp-transport.ts';
import type { Config } from './config-variables.ts';

/** The mail transport of the configuration; undefined if none is configured. */
export function createSendMail({ smtpServer, mailFrom }: Config): SendMail | undefined {
  return smtpServer === null || mailFrom === null
    ? undefined
    : createSmtpTransport({ server: smtpServer, from: mailFrom });
}
