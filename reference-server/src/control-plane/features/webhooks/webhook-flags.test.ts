import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

async function messagesOf(webhook: { id: string }) {
  const rows = await server.db
    .selectFrom('webhook_messages')
    .select(['type', 'body'])
    .where('webhook_id', '=', webhook.id)
    .orderBy('id')
    .execute();
  return rows.map(({ type, body }) => ({ type, data: JSON.parse(body).data }));
}

test('a message has the state and the tags of its flag at the time of the change', async () => {
  const api = server.as('admin');
  const url = 'https://hooks.example.com/';
  const all = await api.webhooks.create({ url, events: ['flag.*'] });
  const tagged = await api.webhooks.create({ url, events: ['flag.*'], tags: ['ops'] });
  const { id } = await api.flags.create(booleanFlag('x', { tags: ['ops'] }));
  await api.flags.toggle(id, true);
  await api.flags.update(id, { tags: [] });
  await api.flags.toggle(id, false);
  await api.flags.archive(id);
  await server.app.runBackground();

  const sent = await messagesOf(all);
  expect(sent.map(({ type, data }) => [type, data.flag.enabled, data.flag.revision])).toEqual([
    ['flag.created', false, 1],
    ['flag.toggled', true, 2],
    ['flag.updated', true, 3],
    ['flag.toggled', false, 4],
    ['flag.archived', false, 5],
  ]);
  expect((await messagesOf(tagged)).map(({ type }) => type)).toEqual(['flag.created', 'flag.toggled']);
});
