import { afterEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
afterEach(() => server.close());

test('a person changes their name, and others see it', async () => {
  server = await startServer();
  const changed = await server.as('viewer').auth.updateMe({ full_name: '  Noor de Vries\u202e ' });
  expect(changed).toMatchObject({ full_name: 'Noor de Vries\u202e', role: 'viewer' });
  expect((await server.as('viewer').auth.me()).full_name).toBe('Noor de Vries\u202e');
  const names = await server.call({
    url: '/audit-log?action=auth.profile_changed',
    token: server.tokens.admin,
  });
  expect(names.body).toMatchObject({
    data: [{ action: 'auth.profile_changed', changes: { full_name: { to: 'Noor de Vries\u202e' } } }],
  });
});

test('a name has at most 200 characters', async () => {
  server = await startServer();
  const { status } = await server.call({
    method: 'PATCH',
    url: '/auth/me',
    token: server.tokens.viewer,
    body: { full_name: 'x'.repeat(201) },
  });
  expect(status).toBe(422);
});
