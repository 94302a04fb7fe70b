import { trySending } from '../control-plane/mail/test-mail.ts';
import { createIds } from '../storage/ids.ts';
import type { CommandInput } from './command.ts';
import type { Config } from './config-variables.ts';
import { fail, print } from './output.ts';
import { createSendMail } from './send-mail.ts';

/** `flagsvc-server test-mail <email>`: uses no database. */
export async function sendTestMail(config: Config, { positionals }: CommandInput): Promise<void> {
  const [to = ''] = positionals;
  const sendMail = createSendMail(config);
  if (sendMail === undefined) {
    return fail('No mail server is configured: set FLAGSVC_SMTP_URL and FLAGSVC_MAIL_FROM.');
  }
  const id = createIds(Date.now)('eml');
  const { sent, explanation, answer } = await trySending(sendMail, { id, to, by: 'The operator' });
  if (!sent) return fail(explanation);
  print(answer === null ? explanation : `${explanation}\nIts answer: ${answer}`);
}
