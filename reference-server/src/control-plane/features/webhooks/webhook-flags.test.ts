import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object) =>
  server.call({ method, url, token: server.tokens.admin, ...(body && { body }) });

async function messagesOf(webhook: { id: string }) {
  const rows = await server.db
    .selectFrom('webhook_messages')
    .select(['type', 'body'])
    .where('webhook_id', '=', webhook.id)
    .orderBy('id')
    .execute();
  return rows.map(({ type, body }) => ({ type, data: JSON.parse(body).data }));
}

test('delivers each change with the flag’s state at that change, and filters by the tags it had then', async () => {
  const hook = async (more: object) =>
    (await send('POST', '/webhooks', { url: 'https://hooks.example.com/', ...more })).body.data;
  const all = await hook({ events: ['flag.*'] });
  const tagged = await hook({ events: ['flag.*'], tags: ['ops'] });
  const query = `environment_id=${server.environments.production}`;
  const { id } = (await send('POST', `/flags?${query}`, booleanFlag('x', { tags: ['ops'] }))).body.data;
  await send('POST', `/flags/${id}/toggle?${query}`, { enabled: true });
  await send('PUT', `/flags/${id}?${query}`, { tags: [] });
  await send('POST', `/flags/${id}/toggle?${query}`, { enabled: false });
  await send('DELETE', `/flags/${id}?${query}`);
  await server.app.runBackground();

  const told = await messagesOf(all);
  expect(told.map(({ type, data }) => [type, data.flag.enabled, data.flag.revision])).toEqual([
    ['flag.created', false, 1],
    ['flag.toggled', true, 2],
    ['flag.updated', true, 3],
    ['flag.toggled', false, 4],
    ['flag.archived', false, 5],
  ]);
  expect((await messagesOf(tagged)).map(({ type }) => type)).toEqual(['flag.created', 'flag.toggled']);
});
