import { afterEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/server.ts';
import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { MailRefused, MailServerUnreachable, type OutgoingMail } from '../../outbound/send-mail.ts';
import { createMailFeature } from './feature.ts';
import type { MailOutcome } from './mail-sender.ts';

let server: TestServer;
afterEach(() => server.close());

const LATER = new Error('451 try again later');

/** A server whose mail server answers each attempt with the next of `answers`; then it accepts everything. */
async function start(...answers: readonly (Error | undefined)[]) {
  const waiting = [...answers];
  const attempts: OutgoingMail[] = [];
  const lines: { readonly level: string; readonly text: string }[] = [];
  const log =
    (level: string) =>
    (...parts: unknown[]) =>
      void lines.push({ level, text: JSON.stringify(parts) });
  const logger = {
    level: 'info',
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: () => logger,
  };
  server = await startServer({
    logger: logger as never,
    async sendMail(mail) {
      attempts.push(mail);
      const error = waiting.shift();
      if (error !== undefined) throw error;
    },
  });
  return { attempts, lines };
}

const invite = (email = 'guest@example.com') =>
  server.as('admin').invitations.create(server.organizationId, { email, role: 'viewer' });
const queued = () => server.db.selectFrom('mail_queue').selectAll().execute();
/** Moves the clock and makes one pass of the background jobs. */
async function pass(ms: number): Promise<void> {
  server.advance(ms);
  await server.app.runBackground();
}

test('an email that fails is tried again with the same id, and stored only until it is sent', async () => {
  const { attempts, lines } = await start(LATER, LATER);
  await invite();
  await expect.poll(() => attempts.length).toBe(1);
  await pass(MINUTE_MS);
  expect(attempts).toHaveLength(1);
  await pass(MINUTE_MS);
  expect(attempts).toHaveLength(2);
  const [row] = await queued();
  expect(row).toMatchObject({ attempts: 2 });
  expect(JSON.stringify(row)).not.toMatch(/guest|invt_/);
  await pass(5 * MINUTE_MS);
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(1);
  expect([attempts.length, await queued()]).toEqual([3, []]);
  expect(lines.filter(({ level }) => level === 'warn').map(({ text }) => text)).toEqual([
    expect.stringContaining('451 try again later'),
    expect.stringContaining('it is tried again'),
  ]);
  expect(JSON.stringify(lines)).not.toContain('invt_');
});

test('an email that keeps failing is given up after eight attempts, with an error in the log', async () => {
  const { attempts, lines } = await start(...Array.from({ length: 100 }, () => LATER));
  await invite();
  await expect.poll(() => attempts.length).toBe(1);
  for (let hour = 0; hour < 24; hour++) await pass(HOUR_MS);
  expect([attempts.length, await queued()]).toEqual([8, []]);
  const errors = lines.filter(({ level }) => level === 'error');
  expect(errors).toEqual([{ level: 'error', text: expect.stringContaining('guest@example.com') }]);
});

test('a refused email is given up at once', async () => {
  const { attempts, lines } = await start(new MailRefused('550 no such user'));
  await invite();
  await expect.poll(() => lines.some(({ level }) => level === 'error')).toBe(true);
  await pass(HOUR_MS);
  expect([attempts.length, await queued()]).toEqual([1, []]);
});

test('no email is sent for half a minute after the mail server could not be reached', async () => {
  const { attempts } = await start(new MailServerUnreachable('Nothing listens'));
  await invite('first@example.com');
  await expect.poll(() => attempts.length).toBe(1);
  await expect.poll(async () => (await queued())[0]?.attempts).toBe(1);
  await invite('second@example.com');
  await pass(10_000);
  expect(attempts).toHaveLength(1);
  await pass(30_000);
  expect(attempts.map(({ to }) => to)).toEqual(['first@example.com', 'second@example.com']);
});

test('a reset link is not sent after its hour', async () => {
  const { attempts } = await start(LATER);
  await server.anonymous.auth.forgotPassword({ email: 'viewer@example.com' });
  await expect.poll(() => attempts.length).toBe(1);
  await pass(61 * MINUTE_MS);
  expect([attempts.length, await queued()]).toEqual([1, []]);
});

test('a dry run sends nothing', async () => {
  const { attempts } = await start();
  const body = { email: 'guest@example.com', role: 'viewer' } as const;
  await server.as('admin').dryRun.invitations.create(server.organizationId, body);
  await pass(MINUTE_MS);
  expect([attempts, await queued()]).toEqual([[], []]);
});

test('two processes on one database send each email once', async () => {
  await start(LATER);
  await invite('lost@example.com');
  const sent: string[] = [];
  const outcomes: MailOutcome[] = [];
  const now = () => Date.parse('2026-12-01T00:00:00.000Z');
  const nodes = [1, 2].map((node) =>
    createMailFeature({
      db: server.db,
      gate: {} as never,
      newId: (prefix) => `${prefix}_${node}`,
      now,
      apiSecretKey: 'test-api-secret-key-of-32-characters',
      log: undefined,
      count: (outcome) => outcomes.push(outcome),
      async sendMail({ to }) {
        sent.push(to);
        await new Promise(setImmediate);
      },
    }),
  );
  await expect.poll(async () => (await queued())[0]?.attempts).toBe(1);
  const expires_at = '2027-01-01T00:00:00.000Z';
  await server.db.updateTable('mail_queue').set({ expires_at }).execute();
  const [row] = await queued();
  const more = Array.from({ length: 20 }, (_, index) => ({ ...row!, id: `eml_${index}` }));
  await server.db.insertInto('mail_queue').values(more).execute();
  await Promise.all(nodes.map(({ jobs }) => jobs![0]!.run()));
  await Promise.all(nodes.map(({ service }) => service.settled()));
  expect([sent.length, outcomes.length, await queued()]).toEqual([21, 21, []]);
});

test('an admin sends a test email and learns what the mail server said; others may not', async () => {
  const { attempts } = await start(new MailRefused('The mail server refused the recipient: 550 unknown.'));
  const admin = server.as('admin');
  expect(await admin.instance.testMail({ email: 'x@example.com' })).toEqual({
    sent: false,
    explanation: 'The mail server refused the recipient: 550 unknown.',
    answer: null,
  });
  expect(await admin.instance.testMail({ email: 'x@example.com' })).toMatchObject({ sent: true });
  expect(attempts.map(({ subject }) => subject)).toEqual(Array(2).fill('Test email from flagsvc'));
  expect(await admin.audit.list({ action: 'mail.tested' })).toHaveLength(2);
  expect((await server.as('editor').instance.testMail({ email: 'x@example.com' }).answer).status).toBe(403);
});
