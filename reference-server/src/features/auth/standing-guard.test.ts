import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { enter, startServer, type TestServer } from '../../../test/server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

/** Asks for a project, but lets the body wait until `meanwhile` is done. */
async function askSlowly(token: string, meanwhile: () => Promise<unknown>) {
  const payload = new PassThrough();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = server.app.inject({ method: 'POST', url: '/api/v1/projects', headers, payload });
  payload.write('{"key": "late", ');
  // Asked later, answered when the first has been let in.
  expect((await server.call({ url: '/projects', token })).status).toBe(200);
  await meanwhile();
  payload.end('"name": "Late"}');
  return answer;
}

/** The second admin, by a session. */
async function secondAdmin() {
  const { call, tokens } = server;
  const { id, accessToken } = await enter(server, 'second@example.com');
  const of = { url: `/organizations/${server.organizationId}/members/${id}`, token: tokens.admin };
  const change = async (body: object) =>
    expect((await call({ method: 'PATCH', ...of, body })).status).toBe(200);
  await change({ role: 'admin' });
  return { accessToken, change, remove: () => call({ method: 'DELETE', ...of }) };
}

test('a request whose body comes late does no more than its user may do by then', async () => {
  const { accessToken, change } = await secondAdmin();
  const demoted = await askSlowly(accessToken, () => change({ role: 'viewer' }));
  expect(demoted.statusCode).toBe(403);
  expect(demoted.json().error).toMatchObject({
    code: 'INSUFFICIENT_PERMISSIONS',
    details: { role: 'viewer' },
  });
  await change({ role: 'admin' });
  const unchanged = await askSlowly(accessToken, () => change({ role: 'admin' }));
  expect(unchanged.statusCode).toBe(201);
});

test('a request whose body comes late does nothing for who was removed, or whose session has ended', async () => {
  const { call, tokens } = server;
  const { accessToken, remove } = await secondAdmin();
  const removed = await askSlowly(accessToken, remove);
  expect(removed.statusCode).toBe(401);
  const logOut = () => call({ method: 'POST', url: '/auth/logout', token: tokens.editor });
  expect((await askSlowly(tokens.editor, logOut)).statusCode).toBe(401);
});

test('a token for programs that is revoked writes nothing more, whoever it is of', async () => {
  const { call, tokens } = server;
  const token = tokens.editor;
  const expires_in_days = 1;
  const own = await call({
    method: 'POST',
    url: '/auth/tokens',
    token,
    body: { name: 'script', scopes: ['admin'], expires_in_days },
  });
  const revokeOwn = () => call({ method: 'DELETE', url: `/auth/tokens/${own.body.data.id}`, token });
  expect((await askSlowly(own.body.data.token, revokeOwn)).statusCode).toBe(401);
  const account = await call({
    method: 'POST',
    url: '/service-accounts',
    token: tokens.admin,
    body: { kind: 'service_account', name: 'robot', role: 'editor' },
  });
  const tokensUrl = `/service-accounts/${account.body.data.id}/tokens`;
  const made = await call({
    method: 'POST',
    url: tokensUrl,
    token: tokens.admin,
    body: { name: 'script', scopes: ['admin'], expires_in_days },
  });
  const revoke = () =>
    call({ method: 'DELETE', url: `${tokensUrl}/${made.body.data.id}`, token: tokens.admin });
  expect((await askSlowly(made.body.data.token, revoke)).statusCode).toBe(401);
});
