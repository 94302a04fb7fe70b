import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { enter, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';
import type { Mail } from '../../mail/mailer.ts';
import { totpCode, totpStep } from '../auth/mfa/totp.ts';

const MINUTE_MS = 60_000;

let server: TestServer;
let organization: string;
let members: string;
const mails: Mail[] = [];
beforeAll(async () => {
  server = await startServer({ sendMail: async (mail) => void mails.push(mail) });
  organization = `/organizations/${server.organizationId}`;
  members = `${organization}/members`;
});
afterAll(() => server.close());

/** No member has a second factor, and none is required. */
beforeEach(async () => {
  await server.db.deleteFrom('totp_factors').execute();
  await server.db.updateTable('organizations').set({ settings_json: '{}' }).execute();
});

const call = (token: string, method: string, url: string, body?: object) =>
  server.call({ method: method as 'GET', url, token, body });
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code,
];
const require = (token: string, required = true, query = '') =>
  call(token, 'PATCH', `${organization}${query}`, { settings: { require_mfa: required } });

/** Logs in, sets up an authenticator app, and returns the access token. */
async function enroll(email: string): Promise<string> {
  const { accessToken } = await enter(server, email);
  const { secret } = (await call(accessToken, 'POST', '/auth/mfa/totp')).body.data;
  const row = await server.db
    .selectFrom('sessions')
    .select('created_at')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const code = totpCode(secret, totpStep(Date.parse(row.created_at)));
  expect((await call(accessToken, 'POST', '/auth/mfa/totp/confirm', { code })).status).toBe(200);
  return accessToken;
}

test('only an admin with a second factor can require one of all members', async () => {
  const refused = await require(server.tokens.admin);
  expect(codeOf(refused)).toEqual([409, 'MFA_NOT_ON']);
  expect(refused.body.error.details.enroll[0]).toBe('POST /api/v1/auth/mfa/totp');
  expect((await call(server.tokens.admin, 'GET', organization)).body.data.settings.require_mfa).toBe(false);
  const admin = await enroll('admin@example.com');
  const tried = await require(admin, true, '?dry_run=true');
  expect(tried.body.data.plan[0].warnings).toMatchObject([
    { code: 'members-without-second-factor', details: { members: 2 } },
  ]);
  expect((await require(admin)).body.data.settings.require_mfa).toBe(true);
  expect((await call(admin, 'GET', '/projects')).status).toBe(200);
});

test('members without a second factor can only set one up', async () => {
  const personal = await call(server.tokens.editor, 'POST', '/auth/tokens', {
    name: 'ci',
    scopes: ['admin'],
  });
  const token = personal.body.data.token as string;
  expect((await call(token, 'GET', '/projects')).status).toBe(200);
  const admin = await enroll('admin@example.com');
  await require(admin);

  // Open sessions and personal tokens are restricted at once.
  for (const one of [server.tokens.editor, server.tokens.viewer, token]) {
    const refused = await call(one, 'GET', '/projects');
    expect(codeOf(refused)).toEqual([403, 'MFA_ENROLLMENT_REQUIRED']);
    expect(refused.body.error.details).toEqual({
      organization_id: server.organizationId,
      enroll: ['POST /api/v1/auth/mfa/totp', 'POST /api/v1/auth/mfa/totp/confirm'],
    });
  }
  const { accessToken } = await enter(server, 'editor@example.com');
  const flags = `/flags?environment_id=${server.environments.staging}`;
  expect(codeOf(await call(accessToken, 'POST', flags, {}))).toEqual([403, 'MFA_ENROLLMENT_REQUIRED']);
  expect((await call(accessToken, 'GET', '/auth/me')).status).toBe(200);
  expect((await call(accessToken, 'GET', '/auth/mfa')).body.data).toMatchObject({
    totp: 'off',
    required: true,
  });

  const enrolled = await enroll('editor@example.com');
  for (const one of [enrolled, accessToken, token]) expect((await call(one, 'GET', flags)).status).toBe(200);

  expect((await require(admin, false)).status).toBe(200);
  expect((await call(server.tokens.viewer, 'GET', '/projects')).status).toBe(200);
});

test('a pending second factor does not count, and removing one restricts the member again', async () => {
  const admin = await enroll('admin@example.com');
  await require(admin);
  const { accessToken } = await enter(server, 'viewer@example.com');
  await call(accessToken, 'POST', '/auth/mfa/totp');
  expect(codeOf(await call(accessToken, 'GET', '/projects'))).toEqual([403, 'MFA_ENROLLMENT_REQUIRED']);
  const viewer = await enroll('viewer@example.com');
  expect((await call(viewer, 'GET', '/projects')).status).toBe(200);
  await call(viewer, 'DELETE', '/auth/mfa/totp');
  expect(codeOf(await call(viewer, 'GET', '/projects'))).toEqual([403, 'MFA_ENROLLMENT_REQUIRED']);
});

test('only admins see which members have a second factor', async () => {
  const admin = await enroll('admin@example.com');
  const listed = async (token: string) =>
    (await call(token, 'GET', members)).body.data.map((one: { mfa_enabled: unknown }) => one.mfa_enabled);
  expect(await listed(admin)).toEqual([true, false, false]);
  expect(await listed(server.tokens.editor)).toEqual([null, null, null]);
});

test('an admin resets the second factor of a member, whose sessions end and who gets an email', async () => {
  const editor = await enroll('editor@example.com');
  const { id } = (await call(editor, 'GET', '/auth/me')).body.data;
  const { accessToken: admin } = await enter(server, 'admin@example.com');
  const url = `${members}/${id}/reset-mfa`;
  expect((await call(admin, 'POST', `${url}?dry_run=true`, {})).body.data.plan).toMatchObject([
    { action: 'member.mfa_reset', changes: { mfa_enabled: { from: true, to: false } } },
  ]);
  expect((await call(editor, 'GET', '/auth/me')).status).toBe(200);
  const once = { 'idempotency-key': 'lost-phone' };
  for (const _ of ['sent', 'and sent again after a lost response']) {
    const asked = {
      method: 'POST',
      url,
      token: admin,
      body: { comment: 'lost phone' },
      headers: once,
    } as const;
    expect((await server.call(asked)).status).toBe(204);
  }
  expect(codeOf(await call(editor, 'GET', '/auth/me'))).toEqual([401, 'INVALID_TOKEN']);
  const body = { email: 'editor@example.com', password: PASSWORD };
  expect((await server.call({ method: 'POST', url: '/auth/login', body })).status).toBe(200);
  expect(codeOf(await call(admin, 'POST', url, {}))).toEqual([409, 'MFA_NOT_ON']);
  do await new Promise((resolve) => setTimeout(resolve, 20));
  while (mails.length === 0);
  expect(mails).toMatchObject([
    { to: 'editor@example.com', text: expect.stringContaining('admin@example.com') },
  ]);
  const { data } = (await call(admin, 'GET', '/audit-log?action=member.mfa_reset')).body;
  expect(data).toMatchObject([{ comment: 'lost phone', resource: { id, key: 'editor@example.com' } }]);
});

test('a reset needs a recent login, is not open to tokens, and does not apply to oneself', async () => {
  const own = await enroll('admin@example.com');
  const { id } = (await call(own, 'GET', '/auth/me')).body.data;
  expect(codeOf(await call(own, 'POST', `${members}/${id}/reset-mfa`, {}))).toEqual([409, 'MFA_RESET_OWN']);
  const editor = await enroll('editor@example.com');
  const url = `${members}/${(await call(editor, 'GET', '/auth/me')).body.data.id}/reset-mfa`;
  const personal = await call(own, 'POST', '/auth/tokens', { name: 'x', scopes: ['admin'] });
  const reauthenticate = [403, 'REAUTHENTICATION_REQUIRED'];
  const byToken = await call(personal.body.data.token, 'POST', url, {});
  expect(codeOf(byToken)).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  server.advance(6 * MINUTE_MS);
  expect(codeOf(await call(own, 'POST', url, {}))).toEqual(reauthenticate);
  expect(codeOf(await call(editor, 'POST', url, {}))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  expect(codeOf(await call(own, 'POST', `${members}/unknown/reset-mfa`, {}))).toEqual([
    404,
    'MEMBER_NOT_FOUND',
  ]);
});
