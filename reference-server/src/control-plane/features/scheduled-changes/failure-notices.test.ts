import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { MINUTE_MS } from '../../../lib/durations.ts';
import type { OutgoingMail } from '../../../outbound/send-mail.ts';

let server: TestServer;
let mails: OutgoingMail[];
let flagId: string;

beforeEach(async () => {
  mails = [];
  server = await startServer({ sendMail: async (mail) => void mails.push(mail) });
  flagId = (await server.as('editor').flags.create(booleanFlag('checkout'))).id;
});
afterEach(() => server.close());

/** Plans to enable the flag in ten minutes. */
const schedule = (api: Api, more: object = {}) =>
  api.scheduledChanges.create(flagId, {
    environment_id: server.environments.production,
    execute_at: '2026-11-20T10:10:00Z',
    changes: [{ op: 'set_enabled', enabled: true }],
    ...more,
  });

async function passDueTime(): Promise<void> {
  server.advance(11 * MINUTE_MS);
  // The second pass turns the outcome of the first into emails.
  await server.app.runBackground();
  await server.app.runBackground();
}

test('the author of a change that fails gets an email with the reason', async () => {
  const { id } = await schedule(server.as('editor'));
  await server.as('admin').flags.archive(flagId);
  await passDueTime();
  await expect.poll(() => mails.length).toBe(1);
  const [mail] = mails as [OutgoingMail];
  expect([mail.to, mail.subject]).toEqual([
    'editor@example.com',
    'The scheduled change of checkout was not executed',
  ]);
  expect(mail.text).toContain(`(${id}) was not executed, because it failed.`);
  expect(mail.text).toMatch(/The error was: .*archived/);
});

test('the author of a change that conflicts gets an email that says so', async () => {
  const { revision } = await server.as('editor').flags.get(flagId);
  await schedule(server.as('editor'), { base_revision: revision });
  await server.as('admin').flags.update(flagId, { name: 'Renamed' });
  await passDueTime();
  await expect.poll(() => mails.map(({ to }) => to)).toEqual(['editor@example.com']);
  expect(mails[0]!.text).toContain('because the flag has changed meanwhile');
});

test('admins get the email about a change by a service account', async () => {
  const admin = server.as('admin');
  const account = await admin.serviceAccounts.create({ name: 'deploys', role: 'editor' });
  const { token } = await admin.serviceAccounts.createToken(account.id, {
    name: 'ci',
    scopes: ['flags:write'],
  });
  await schedule(server.withToken(token!));
  await admin.flags.archive(flagId);
  await passDueTime();
  await expect.poll(() => mails.map(({ to }) => to)).toEqual(['admin@example.com']);
});

test('a change that is executed, blocked or cancelled causes no email', async () => {
  const api = server.as('editor');
  const executed = await schedule(api);
  const cancelled = await schedule(api);
  await api.scheduledChanges.cancel(cancelled.id);
  await passDueTime();
  await server.as('admin').freezeWindows.create({ name: 'peak' });
  const blocked = await schedule(api, {
    execute_at: '2026-11-20T10:20:00Z',
    changes: [{ op: 'set_enabled', enabled: false }],
  });
  await passDueTime();
  const statuses = [executed, cancelled, blocked].map(async ({ id }) => {
    const { status } = await api.scheduledChanges.get(id);
    return status;
  });
  expect(await Promise.all(statuses)).toEqual(['executed', 'cancelled', 'blocked']);
  expect(mails).toEqual([]);
});
