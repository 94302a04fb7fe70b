import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { enter, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';
import type { OutgoingMail as Mail } from '../../../outbound/send-mail.ts';
import { totpCode, totpStep } from '../auth/mfa/totp.ts';

const MINUTE_MS = 60_000;

let server: TestServer;
let organizationId: string;
const mails: Mail[] = [];
beforeAll(async () => {
  server = await startServer({ sendMail: async (mail) => void mails.push(mail) });
  ({ organizationId } = server);
});
afterAll(() => server.close());

/** Nobody has a second factor, and none is required. */
beforeEach(async () => {
  await server.db.deleteFrom('totp_factors').execute();
  await server.db.updateTable('organizations').set({ settings_json: '{}' }).execute();
});

const requireMfa = (by: Pick<Api, 'organizations'>, require_mfa = true) =>
  by.organizations.update(organizationId, { settings: { require_mfa } });

/** Logs in and sets up an authenticator app. */
async function enroll(email: string): Promise<Api> {
  const { api } = await enter(server, email);
  const { secret } = await api.mfa.start();
  const row = await server.db
    .selectFrom('sessions')
    .select('created_at')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  await api.mfa.confirm({ code: totpCode(secret, totpStep(Date.parse(row.created_at))) });
  return api;
}

test('only an admin with a second factor can require one', async () => {
  const without = server.as('admin');
  const refusal = await refused(requireMfa(without));
  expect(refusal.code).toBe('MFA_NOT_ON');
  expect(refusal.details.enroll[0]).toBe('POST /api/v1/auth/mfa/totp');
  expect((await without.organizations.get(organizationId)).settings.require_mfa).toBe(false);

  const admin = await enroll('admin@example.com');
  const { plan } = await admin.dryRun.organizations.update(organizationId, {
    settings: { require_mfa: true },
  });
  expect(plan[0]!.warnings).toMatchObject([
    { code: 'members-without-second-factor', details: { members: 2 } },
  ]);
  expect((await requireMfa(admin)).settings.require_mfa).toBe(true);
  expect(await codeOf(admin.projects.list())).toBe('OK');
});

test('members without the required second factor can only set one up', async () => {
  const { token } = await server.as('editor').personalTokens.create({ name: 'ci', scopes: ['admin'] });
  const program = server.withToken(token!);
  expect(await codeOf(program.projects.list())).toBe('OK');
  const admin = await enroll('admin@example.com');
  await requireMfa(admin);

  // The requirement applies at once to existing sessions and to personal tokens.
  for (const api of [server.as('editor'), server.as('viewer'), program]) {
    const refusal = await refused(api.projects.list());
    expect(refusal.code).toBe('MFA_ENROLLMENT_REQUIRED');
    expect(refusal.details).toEqual({
      organization_id: organizationId,
      enroll: ['POST /api/v1/auth/mfa/totp', 'POST /api/v1/auth/mfa/totp/confirm'],
    });
  }
  const { api } = await enter(server, 'editor@example.com');
  const staging = api.in(server.environments.staging);
  expect(await codeOf(staging.unchecked.flags.create({}))).toBe('MFA_ENROLLMENT_REQUIRED');
  expect(await codeOf(api.auth.me())).toBe('OK');
  expect(await api.mfa.get()).toMatchObject({ totp: 'off', required: true });

  const enrolled = await enroll('editor@example.com');
  for (const client of [enrolled, api, program]) expect(await codeOf(client.projects.list())).toBe('OK');

  await requireMfa(admin, false);
  expect(await codeOf(server.as('viewer').projects.list())).toBe('OK');
});

test('an unconfirmed factor does not count, and a removed one has to be replaced', async () => {
  await requireMfa(await enroll('admin@example.com'));
  const { api } = await enter(server, 'viewer@example.com');
  await api.mfa.start();
  expect(await codeOf(api.projects.list())).toBe('MFA_ENROLLMENT_REQUIRED');
  const viewer = await enroll('viewer@example.com');
  expect(await codeOf(viewer.projects.list())).toBe('OK');
  await viewer.mfa.remove();
  expect(await codeOf(viewer.projects.list())).toBe('MFA_ENROLLMENT_REQUIRED');
});

test('only admins see which members have a second factor', async () => {
  const admin = await enroll('admin@example.com');
  const listed = async (api: Api) =>
    (await api.members.list(organizationId)).map(({ mfa_enabled }) => mfa_enabled);
  expect(await listed(admin)).toEqual([true, false, false]);
  expect(await listed(server.as('editor'))).toEqual([null, null, null]);
});

test('an admin can reset the factor of another member, who is logged out and gets an email', async () => {
  const editor = await enroll('editor@example.com');
  mails.length = 0;
  const { id } = await editor.auth.me();
  const { api: admin } = await enter(server, 'admin@example.com');
  const { plan } = await admin.dryRun.members.resetMfa(organizationId, id, {});
  expect(plan).toMatchObject([
    { action: 'member.mfa_reset', changes: { mfa_enabled: { from: true, to: false } } },
  ]);
  expect(await codeOf(editor.auth.me())).toBe('OK');
  // The second call is that of a client that got no answer to the first.
  for (const _ of [1, 2]) {
    const comment = { comment: 'lost phone' };
    await admin.members.resetMfa(organizationId, id, comment, { idempotencyKey: 'lost-phone' });
  }
  expect(await codeOf(editor.auth.me())).toBe('INVALID_TOKEN');
  const login = server.anonymous.auth.login({ email: 'editor@example.com', password: PASSWORD });
  expect(await codeOf(login)).toBe('OK');
  expect(await codeOf(admin.members.resetMfa(organizationId, id, {}))).toBe('MFA_NOT_ON');
  await expect.poll(() => mails).toHaveLength(1);
  expect(mails).toMatchObject([
    { to: 'editor@example.com', text: expect.stringContaining('admin@example.com') },
  ]);
  expect(await admin.audit.list({ action: 'member.mfa_reset' })).toMatchObject([
    { comment: 'lost phone', resource: { id, key: 'editor@example.com' } },
  ]);
});

test('only another admin with a recent login can reset a factor, and no token can', async () => {
  const own = await enroll('admin@example.com');
  const { id: adminId } = await own.auth.me();
  expect(await codeOf(own.members.resetMfa(organizationId, adminId, {}))).toBe('MFA_RESET_OWN');
  const editor = await enroll('editor@example.com');
  const { id } = await editor.auth.me();
  const reset = (by: Api, userId = id) => codeOf(by.members.resetMfa(organizationId, userId, {}));
  const { token } = await own.personalTokens.create({ name: 'x', scopes: ['admin'] });
  expect(await reset(server.withToken(token!))).toBe('INSUFFICIENT_PERMISSIONS');
  server.advance(6 * MINUTE_MS);
  expect(await reset(own)).toBe('REAUTHENTICATION_REQUIRED');
  expect(await reset(editor)).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await reset(own, 'unknown')).toBe('MEMBER_NOT_FOUND');
});
