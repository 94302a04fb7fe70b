import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const PROJECT = { key: 'late', name: 'Late' };

/** Sends a write, by default of a project, and holds back half of its body until `meanwhile` has finished. */
async function askSlowly(
  token: string,
  meanwhile: () => Promise<unknown>,
  { path = '/projects', body = PROJECT as object } = {},
) {
  const payload = new PassThrough();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = server.app.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload });
  const text = JSON.stringify(body);
  payload.write(text.slice(0, 9));
  // Sent later, so its answer shows that the first request is authenticated.
  expect((await server.call({ url: '/projects', token })).status).toBe(200);
  await meanwhile();
  payload.end(text.slice(9));
  return answer;
}

/** A second admin, with a session. */
async function secondAdmin() {
  const { call, tokens } = server;
  const { id, accessToken } = await enter(server, 'second@example.com');
  const of = { url: `/organizations/${server.organizationId}/members/${id}`, token: tokens.admin };
  const change = async (body: object) =>
    expect((await call({ method: 'PATCH', ...of, body })).status).toBe(200);
  await change({ role: 'admin' });
  return { accessToken, change, remove: () => call({ method: 'DELETE', ...of }) };
}

test('a request with a late body has only the rights that its user has when the body arrives', async () => {
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

test('a request with a late body fails when its user was removed or its session ended meanwhile', async () => {
  const { call, tokens } = server;
  const { accessToken, remove } = await secondAdmin();
  const removed = await askSlowly(accessToken, remove);
  expect(removed.statusCode).toBe(401);
  const logOut = () => call({ method: 'POST', url: '/auth/logout', token: tokens.editor });
  expect((await askSlowly(tokens.editor, logOut)).statusCode).toBe(401);
});

test('a set of changes with a late body is refused as a whole', async () => {
  const { call, tokens, environments } = server;
  const { accessToken, change } = await secondAdmin();
  const url = `/flags?environment_id=${environments.development}`;
  const flag = await call({ method: 'POST', url, token: tokens.admin, body: booleanFlag('one') });
  const body = {
    environment_id: environments.development,
    flag_ids: [flag.body.data.id],
    action: 'archive',
    comment: 'over',
  };
  const late = await askSlowly(accessToken, () => change({ role: 'viewer' }), { path: '/flags/bulk', body });
  expect([late.statusCode, late.json().error?.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
});

test('a machine token that was revoked meanwhile writes nothing', async () => {
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
