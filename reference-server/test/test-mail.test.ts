import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MailServer, refusal, startMailServer } from './mail-server.ts';
import { startServer } from './server-process.ts';

let mailServer: MailServer;
beforeEach(async () => {
  mailServer = await startMailServer({
    onRcptTo({ address }, _session, callback) {
      callback(address.startsWith('nobody') ? refusal(550, 'No such user here') : null);
    },
  });
});
afterEach(() => mailServer.close());

/** Runs `flagsvc-server test-mail`; returns the exit code and the output. */
async function testMail(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { exit, output } = startServer(
    {
      // The command must work before the database does.
      FLAGSVC_DATABASE_URL: 'sqlite:/no/such/folder/flags.db',
      FLAGSVC_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      FLAGSVC_MAIL_FROM: 'Flags <flags@example.com>',
      FLAGSVC_DASHBOARD_URL: 'https://flags.example.com',
      ...env,
    },
    { command: ['test-mail', ...args] },
  );
  return { code: await exit, ...output };
}

test('sends a test email and prints the answer of the mail server', async () => {
  const { code, out, err } = await testMail(['ada@example.com']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/accepted the email to ada@example\.com\..*\nIts answer: .*Queued as 42/);
  expect(mailServer.received).toMatchObject([{ from: 'flags@example.com', to: ['ada@example.com'] }]);
  expect(mailServer.received[0]!.source).toContain('Subject: Test email from flagsvc');
});

test('explains a refusal, a closed port and a missing configuration, and exits with 1', async () => {
  const refused = await testMail(['nobody@example.com']);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('No such user here');
  const closed = await testMail(['ada@example.com'], { FLAGSVC_SMTP_URL: 'smtp://127.0.0.1:1' });
  expect([closed.code, closed.err]).toEqual([1, expect.stringContaining('127.0.0.1:1')]);
  const none = await testMail(['ada@example.com'], { FLAGSVC_SMTP_URL: '', FLAGSVC_MAIL_FROM: '' });
  expect([none.code, none.err]).toEqual([
    1,
    expect.stringContaining('set FLAGSVC_SMTP_URL and FLAGSVC_MAIL_FROM'),
  ]);
  expect((await testMail([])).code).toBe(1);
  expect(mailServer.received).toEqual([]);
});
