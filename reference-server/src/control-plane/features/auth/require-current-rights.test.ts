import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

/** Sends a write, which by default creates a project; the second half of its body arrives after `meanwhile`. */
async function sendSlowly(
  token: string,
  meanwhile: () => Promise<unknown>,
  { path = '/projects', body = { key: 'late', name: 'Late' } as object } = {},
) {
  const payload = new PassThrough();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const pending = server.app.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload });
  const text = JSON.stringify(body);
  payload.write(text.slice(0, 9));
  // When this later request is answered, the slow one has been authenticated.
  expect(await codeOf(server.withToken(token).projects.list())).toBe('OK');
  await meanwhile();
  payload.end(text.slice(9));
  const response = await pending;
  return { status: response.statusCode, error: response.json().error };
}

/** A second admin with a session. */
async function enterSecondAdmin() {
  const { organizationId } = server;
  const { members } = server.as('admin');
  const { id, accessToken } = await enter(server, 'second@example.com');
  const setRole = (role: 'admin' | 'viewer') => members.update(organizationId, id, { role });
  await setRole('admin');
  return { accessToken, setRole, remove: () => members.remove(organizationId, id) };
}

test('a write with a slow body requires that the caller still has the role when the body has arrived', async () => {
  const { accessToken, setRole } = await enterSecondAdmin();
  const demoted = await sendSlowly(accessToken, () => setRole('viewer'));
  expect(demoted).toMatchObject({
    status: 403,
    error: { code: 'INSUFFICIENT_PERMISSIONS', details: { role: 'viewer' } },
  });
  await setRole('admin');
  const unchanged = await sendSlowly(accessToken, () => setRole('admin'));
  expect(unchanged.status).toBe(201);
});

test('a slow write is refused if the member was removed or the session ended meanwhile', async () => {
  const { accessToken, remove } = await enterSecondAdmin();
  expect((await sendSlowly(accessToken, remove)).status).toBe(401);
  const logOut = () => server.as('editor').auth.logout();
  expect((await sendSlowly(server.tokens.editor, logOut)).status).toBe(401);
});

test('a slow bulk write is refused as a whole', async () => {
  const { development } = server.environments;
  const { accessToken, setRole } = await enterSecondAdmin();
  const flag = await server.as('admin').flags.create(booleanFlag('one'));
  const body = { environment_id: development, flag_ids: [flag.id], action: 'archive', comment: 'over' };
  const late = await sendSlowly(accessToken, () => setRole('viewer'), { path: '/flags/bulk', body });
  expect([late.status, late.error?.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
});

test('a slow write is refused if its machine token was revoked meanwhile', async () => {
  const { personalTokens } = server.as('editor');
  const own = await personalTokens.create({ name: 'script', scopes: ['admin'] });
  const revokeOwn = () => personalTokens.revoke(own.id);
  expect((await sendSlowly(own.token!, revokeOwn)).status).toBe(401);

  const { serviceAccounts } = server.as('admin');
  const account = await serviceAccounts.create({
    kind: 'service_account',
    name: 'robot',
    role: 'editor',
  });
  const created = await serviceAccounts.createToken(account.id, { name: 'script', scopes: ['admin'] });
  const revoke = () => serviceAccounts.revokeToken(account.id, created.id);
  expect((await sendSlowly(created.token!, revoke)).status).toBe(401);
});
