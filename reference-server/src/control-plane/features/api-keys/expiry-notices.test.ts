import { afterEach, expect, test } from 'vitest';
import { enter, startServer, type TestServer } from '../../../../test/server.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { OutgoingMail } from '../../../outbound/send-mail.ts';

let server: TestServer;
afterEach(() => server.close());

test('every admin gets one email a week before a key expires, and another for a new expiry date', async () => {
  const mails: OutgoingMail[] = [];
  server = await startServer({ sendMail: async (mail) => void mails.push(mail) });
  const second = await enter(server, 'second@example.com');
  await server.db
    .updateTable('memberships')
    .set({ role: 'admin' })
    .where('user_id', '=', second.id)
    .execute();
  const api = server.as('admin');
  const { id } = await api.apiKeys.create(server.environments.production, {
    name: 'checkout\r\nBcc: x@example.com',
    expires_at: '2026-12-01T10:00:00Z',
  });
  await api.apiKeys.create(server.environments.production, { name: 'forever' });
  /** Makes a day of background passes, and one more that sends what they queued. */
  const passDay = async () => {
    server.advance(DAY_MS);
    await server.app.runBackground();
    await server.app.runBackground();
  };
  for (let day = 0; day < 3; day++) await passDay();
  expect(mails).toEqual([]);
  for (let day = 0; day < 6; day++) await passDay();
  await expect
    .poll(() => mails.map(({ to }) => to).sort())
    .toEqual(['admin@example.com', 'second@example.com']);
  const [{ subject, text }] = mails as [OutgoingMail];
  expect(subject).toBe('The API key "checkout Bcc: x@example.com" expires on 2026-12-01');
  expect(text).toContain('expires at 2026-12-01T10:00:00.000Z');
  expect(text).toContain(`(${id}) of the environment "Production"`);

  await (await enter(server, 'admin@example.com')).api.apiKeys.update(id, {
    expires_at: '2026-12-05T10:00:00Z',
  });
  await passDay();
  await passDay();
  await expect.poll(() => mails.length).toBe(4);
  expect(mails[2]!.subject).toContain('expires on 2026-12-05');
});
