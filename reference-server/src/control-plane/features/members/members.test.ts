import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import {
  booleanFlag,
  enter,
  PASSWORD,
  startEmptyServer,
  startServer,
  type TestServer,
} from '../../../../test/server.ts';
import type { OutgoingMail as Mail } from '../../../outbound/send-mail.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
let server: TestServer;
let organizationId: string;
let admin: Api;
let editor: Api;
let viewer: Api;
let mails: Mail[];
let ids: Record<'admin' | 'editor' | 'viewer', string>;

beforeEach(async () => {
  mails = [];
  server = await startServer({ sendMail: async (mail) => void mails.push(mail) });
  ({ organizationId } = server);
  [admin, editor, viewer] = [server.as('admin'), server.as('editor'), server.as('viewer')];
  const members = await admin.members.list(organizationId);
  ids = Object.fromEntries(members.map(({ role, id }) => [role, id])) as typeof ids;
});
afterEach(() => server.close());

type Invitation = Body<'POST /organizations/{organization_id}/invitations'>;
const invite = (email: string, more: Partial<Invitation> = {}) =>
  admin.invitations.create(organizationId, { email, role: 'editor', ...more });
const tokenOf = ({ accept_url }: { accept_url?: string }): string => /#token=(\S+)$/.exec(accept_url!)![1]!;
const accept = (token: string, more: object = { password: PASSWORD }) =>
  server.anonymous.auth.acceptInvitation({ token, ...more });
const update = (userId: string, body: Body<'PATCH /organizations/{organization_id}/members/{user_id}'>) =>
  admin.members.update(organizationId, userId, body);
const remove = (userId: string) => admin.members.remove(organizationId, userId);
const createSegment = (by: Api, projectId = server.projectId) =>
  codeOf(by.segments.create(projectId, { key: 'x', conditions: [] }));

test('the list of members shows roles and restrictions', async () => {
  const members = await viewer.members.list(organizationId);
  expect(members).toHaveLength(3);
  expect(members[0]).toEqual({
    id: ids.admin,
    user: { id: ids.admin, email: 'admin@example.com', full_name: '' },
    role: 'admin',
    environment_ids: null,
    project_roles: [],
    source: 'local',
    status: 'active',
    mfa_enabled: null,
    joined_at: expect.any(String),
    last_active_at: expect.any(String),
    revision: 1,
  });
});

test('a member reads their own rights', async () => {
  const rights = {
    environment_ids: [server.environments.staging],
    project_roles: [{ project_id: server.projectId, role: 'editor' as const }],
  };
  await update(ids.viewer, rights);
  const { organizations } = await viewer.auth.me();
  expect(organizations).toEqual([
    { id: organizationId, name: 'Default organization', role: 'viewer', ...rights },
  ]);
});

test('calls with personal tokens count as activity of a member', async () => {
  const { token } = await viewer.personalTokens.create({ name: 'ci', scopes: ['read'] });
  server.advance(HOUR_MS);
  await server.withToken(token!).projects.list();
  const members = await admin.members.list(organizationId);
  expect(members.find(({ id }) => id === ids.viewer)?.last_active_at).toMatch(/^2026-11-20T11:/);
});

test('a changed role applies from the next request', async () => {
  expect((await update(ids.viewer, { role: 'editor' })).role).toBe('editor');
  expect(await createSegment(viewer)).toBe('OK');
  const [entry] = await admin.audit.list({ action: 'member.role_changed' });
  expect(entry).toMatchObject({
    resource: { type: 'user', id: ids.viewer, key: 'viewer@example.com' },
    changes: { role: { from: 'viewer', to: 'editor' } },
  });
});

test('changes to a member are checked against the revision in If-Match', async () => {
  const { members } = admin;
  const setRole = (role: 'editor' | 'viewer', ifMatch: number) =>
    members.update(organizationId, ids.viewer, { role }, { ifMatch });
  const first = await setRole('editor', 1).answer;
  expect([first.headers.etag, first.body.data.revision]).toEqual(['"2"', 2]);
  // A change that changes nothing keeps the revision.
  expect((await setRole('editor', 2)).revision).toBe(2);
  const inProject = await members.setProjectRole(
    server.projectId,
    ids.viewer,
    { role: 'admin' },
    { ifMatch: 2 },
  );
  expect(inProject.revision).toBe(3);
  expect(await refused(setRole('viewer', 2))).toMatchObject({
    code: 'PRECONDITION_FAILED',
    details: {
      current_revision: 3,
      diff: { role: { from: 'editor', to: 'viewer' } },
      diff_basis: 'request',
    },
  });
  const removeAt = (ifMatch: number) => codeOf(members.remove(organizationId, ids.viewer, { ifMatch }));
  expect(await removeAt(2)).toBe('PRECONDITION_FAILED');
  expect((await members.list(organizationId))[2]!.revision).toBe(3);
  expect(await removeAt(3)).toBe('OK');
});

test('an organization keeps at least one admin', async () => {
  expect(await codeOf(update(ids.admin, { role: 'viewer' }))).toBe('LAST_ADMIN');
  expect(await codeOf(remove(ids.admin))).toBe('LAST_ADMIN');
  await update(ids.editor, { role: 'admin' });
  // A disabled admin does not count.
  const setDisabled = (disabled_at: string | null) =>
    server.db.updateTable('users').set({ disabled_at }).where('id', '=', ids.editor).execute();
  await setDisabled('2026-11-20T10:00:00.000Z');
  expect(await codeOf(remove(ids.admin))).toBe('LAST_ADMIN');
  await setDisabled(null);
  expect(await codeOf(update(ids.admin, { role: 'viewer' }))).toBe('OK');
  expect(await codeOf(admin.invitations.list(organizationId))).toBe('INSUFFICIENT_PERMISSIONS');
});

test('a removed member loses all sessions and tokens, and can be invited again', async () => {
  const { token } = await editor.personalTokens.create({ name: 'ci', scopes: ['admin'] });
  await remove(ids.editor);
  expect(await codeOf(editor.projects.list())).toBe('INVALID_TOKEN');
  expect(await codeOf(server.withToken(token!).projects.list())).toBe('INVALID_TOKEN');
  const login = server.anonymous.auth.login({ email: 'editor@example.com', password: PASSWORD });
  expect(await codeOf(login)).toBe('INVALID_CREDENTIALS');
  expect(await codeOf(remove(ids.editor))).toBe('MEMBER_NOT_FOUND');
  await accept(tokenOf(await invite('editor@example.com')), {});
  expect((await enter(server, 'editor@example.com')).role).toBe('editor');
});

test('a member who returns does not regain earlier sessions and tokens', async () => {
  const { api, refreshToken } = await enter(server, 'editor@example.com');
  const { token } = await editor.personalTokens.create({ name: 'ci', scopes: ['admin'] });
  await remove(ids.editor);
  await accept(tokenOf(await invite('editor@example.com', { role: 'admin' })), {});
  for (const client of [api, server.withToken(token!)])
    expect(await codeOf(client.auth.me())).toBe('INVALID_TOKEN');
  const refreshed = server.anonymous.auth.refresh({ refresh_token: refreshToken });
  expect(await codeOf(refreshed)).toBe('INVALID_REFRESH_TOKEN');
  const returned = await enter(server, 'editor@example.com');
  expect([returned.role, await returned.api.personalTokens.list()]).toEqual(['admin', []]);
});

test('a member is restricted to the environments of the membership', async () => {
  const { development, production } = server.environments;
  const environment_ids = [development];
  expect((await update(ids.editor, { environment_ids })).environment_ids).toEqual([development]);
  const created = editor.in(development).flags.create(booleanFlag('x'));
  expect(await codeOf(created)).toBe('INSUFFICIENT_PERMISSIONS');
  const { id } = await admin.in(development).flags.create(booleanFlag('x'));
  expect(await codeOf(editor.in(development).flags.toggle(id, true))).toBe('OK');
  expect(await refused(editor.in(production).flags.toggle(id, true))).toMatchObject({
    code: 'INSUFFICIENT_PERMISSIONS',
    details: { environment_id: production },
  });
  expect(await codeOf(editor.in(production).flags.get(id))).toBe('OK');
  expect(await codeOf(update(ids.admin, { environment_ids }))).toBe('VALIDATION_ERROR');
  const unknown = update(ids.editor, { environment_ids: ['env_x'] });
  expect(await codeOf(unknown)).toBe('ENVIRONMENT_NOT_FOUND');
});

test('a role in a project grants nothing outside that project', async () => {
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const { projectId, environments } = server;
  const { project_roles } = await admin.members.setProjectRole(projectId, ids.viewer, { role: 'admin' });
  expect(project_roles).toEqual([{ project_id: projectId, role: 'admin' }]);
  expect(await createSegment(viewer)).toBe('OK');
  expect(await createSegment(viewer, other.id)).toBe('INSUFFICIENT_PERMISSIONS');

  const listKeys = (environmentId: string) => codeOf(viewer.apiKeys.list(environmentId));
  const createKey = (environmentId: string) => codeOf(viewer.apiKeys.create(environmentId, { name: 'k' }));
  expect(await listKeys(environments.production)).toBe('OK');
  expect(await createKey(environments.production)).toBe('OK');
  for (const { id } of await admin.environments.listOf(other.id)) {
    expect(await listKeys(id)).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await createKey(id)).toBe('INSUFFICIENT_PERMISSIONS');
  }
  for (const call of [
    viewer.breakGlass.list(),
    viewer.invitations.list(organizationId),
    viewer.freezeWindows.create({ name: 'x' }),
  ]) {
    expect(await codeOf(call)).toBe('INSUFFICIENT_PERMISSIONS');
  }
  // A lower role in a project takes nothing from the role in the organization.
  await admin.members.setProjectRole(projectId, ids.admin, { role: 'viewer' });
  expect(await codeOf(admin.projects.update(projectId, { name: 'Still' }))).toBe('OK');

  await admin.members.removeProjectRole(projectId, ids.viewer);
  expect(await listKeys(environments.staging)).toBe('INSUFFICIENT_PERMISSIONS');
});

test('the token of an invitation is shown once, emailed, and stored as a hash', async () => {
  const { accept_url, is_mailed, ...record } = await invite('Guest@example.com');
  expect(is_mailed).toBe(true);
  expect(accept_url).toMatch(/^http:\/\/localhost:3000\/accept-invitation#token=invt_[\w-]{43}$/);
  expect(record).toMatchObject({ id: expect.stringMatching(/^inv_/), role: 'editor', status: 'pending' });
  await expect.poll(() => mails.map((mail) => mail.to)).toEqual(['Guest@example.com']);
  expect(mails[0]!.text).toContain(accept_url);
  expect(await admin.invitations.list(organizationId)).toEqual([record]);
  const rows = JSON.stringify([
    await server.db.selectFrom('invitations').selectAll().execute(),
    await server.db.selectFrom('audit_entries').selectAll().execute(),
  ]);
  expect(rows).not.toContain(tokenOf({ accept_url: accept_url! }));
});

test('an invitation can be accepted once, and grants its roles', async () => {
  const project_roles = [{ project_id: server.projectId, role: 'editor' as const }];
  const token = tokenOf(await invite('guest@example.com', { role: 'viewer', project_roles }));
  const inspect = () => server.anonymous.auth.inspectInvitation({ token });
  expect(await inspect()).toEqual({
    organization_name: expect.stringMatching(/\S/),
    email: 'guest@example.com',
    role: 'viewer',
    invited_by: expect.stringMatching(/\S/),
    expires_at: expect.any(String),
    has_account: false,
  });
  expect(await codeOf(accept(token, {}))).toBe('VALIDATION_ERROR');
  expect(await accept(token, { password: PASSWORD, full_name: 'Guest' })).toMatchObject({
    email: 'guest@example.com',
    full_name: 'Guest',
    role: 'viewer',
  });
  expect(await codeOf(accept(token))).toBe('INVALID_INVITATION');
  expect(await codeOf(inspect())).toBe('INVALID_INVITATION');
  const guest = await enter(server, 'guest@example.com');
  expect(await createSegment(guest.api)).toBe('OK');
  expect(await codeOf(invite('guest@example.com'))).toBe('MEMBER_EXISTS');
});

test('an invitation that is accepted after a registration does not change the role of the registered user', async () => {
  const invitation = await invite('guest@example.com', { role: 'admin' });
  await enter(server, 'guest@example.com');
  const { has_account } = await server.anonymous.auth.inspectInvitation({ token: tokenOf(invitation) });
  expect(has_account).toBe(true);
  const late = accept(tokenOf(invitation), { password: 'another horse' });
  expect(await codeOf(late)).toBe('MEMBER_EXISTS');
  expect((await enter(server, 'guest@example.com')).role).toBe('viewer');
});

test('only one of two concurrent attempts to accept an invitation succeeds', async () => {
  const token = tokenOf(await invite('guest@example.com'));
  const both = await Promise.all([0, 1].map(() => codeOf(accept(token))));
  expect(both.sort()).toEqual(['INVALID_INVITATION', 'OK']);
});

test('an invitation ends when it expires, is revoked or resent, or a newer one is created', async () => {
  const first = await invite('guest@example.com');
  const second = await invite('guest@example.com');
  const third = await admin.invitations.resend(organizationId, second.id);
  const acceptCode = (one: { accept_url?: string }) => codeOf(accept(tokenOf(one)));
  for (const old of [first, second]) expect(await acceptCode(old)).toBe('INVALID_INVITATION');
  await admin.invitations.revoke(organizationId, second.id);
  expect(await acceptCode(third)).toBe('INVALID_INVITATION');
  const again = admin.invitations.revoke(organizationId, second.id);
  expect(await codeOf(again)).toBe('INVITATION_NOT_FOUND');
  const fourth = await invite('guest@example.com');
  server.advance(7 * DAY_MS);
  expect(await acceptCode(fourth)).toBe('INVALID_INVITATION');
});

test('changes to an invitation are checked against the revision in If-Match', async () => {
  const { invitations } = admin;
  const created = await invite('guest@example.com').answer;
  const { id, revision } = created.body.data;
  expect([created.headers.etag, revision]).toEqual(['"1"', 1]);
  const resend = (ifMatch: number) => invitations.resend(organizationId, id, { ifMatch });
  const revoke = (ifMatch: number) => invitations.revoke(organizationId, id, { ifMatch });
  const renewed = await resend(1).answer;
  expect([renewed.headers.etag, renewed.body.data.revision]).toEqual(['"2"', 2]);
  expect((await invitations.list(organizationId))[0]!.revision).toBe(2);
  for (const late of [resend, revoke]) {
    expect(await refused(late(1))).toMatchObject({
      code: 'PRECONDITION_FAILED',
      details: { current_revision: 2 },
    });
  }
  await revoke(2);
  expect(await codeOf(accept(tokenOf(renewed.body.data)))).toBe('INVALID_INVITATION');
});

test('registrations and invitations are limited to the email domains of the organization', async () => {
  const setDomains = (allowed_email_domains: string[]) =>
    admin.organizations.update(organizationId, {
      settings: { allowed_email_domains, default_member_role: 'editor' },
    });
  await setDomains(['Example.com']);
  expect(await codeOf(invite('guest@elsewhere.example'))).toBe('EMAIL_DOMAIN_NOT_ALLOWED');
  const register = (email: string) => server.anonymous.auth.register({ email, password: PASSWORD });
  expect(await codeOf(register('guest@elsewhere.example'))).toBe('EMAIL_DOMAIN_NOT_ALLOWED');
  expect((await register('guest@example.com')).role).toBe('editor');
  expect(await codeOf(setDomains(['x@y']))).toBe('VALIDATION_ERROR');
});

test('an organization has at most 50 open invitations', async () => {
  for (let index = 0; index < 50; index++) await invite(`guest${index}@example.com`);
  expect(await codeOf(invite('one-more@example.com'))).toBe('LIMIT_EXCEEDED');
  expect(await codeOf(invite('guest0@example.com'))).toBe('OK');
  // Expired invitations do not count.
  server.advance(8 * DAY_MS);
  admin = (await enter(server, 'admin@example.com')).api;
  expect(await codeOf(invite('late@example.com'))).toBe('OK');
});

test('only existing users can be invited when registration is closed', async () => {
  const closed = await startEmptyServer({ registration: 'closed' });
  try {
    const { api } = await enter(closed, 'first@example.com');
    const [organization] = await api.organizations.list();
    const inviteTo = (email: string) => api.invitations.create(organization!.id, { email, role: 'viewer' });
    expect(await codeOf(inviteTo('new@example.com'))).toBe('REGISTRATION_CLOSED');
    await closed.db
      .insertInto('users')
      .values({
        id: 'usr_x',
        email: 'back@example.com',
        email_folded: 'back@example.com',
        full_name: null,
        password_hash: '',
        created_at: '2026-11-20T10:00:00.000Z',
        last_login_at: null,
        disabled_at: null,
      })
      .execute();
    const token = tokenOf(await inviteTo('back@example.com'));
    expect(await codeOf(closed.anonymous.auth.acceptInvitation({ token }))).toBe('OK');
  } finally {
    await closed.close();
  }
});

test('an invitation grants only roles in projects that still exist', async () => {
  const gone = await admin.projects.create({ key: 'gone', name: 'G', environments: [] });
  const project_roles = [server.projectId, gone.id].map((project_id) => ({
    project_id,
    role: 'admin' as const,
  }));
  const invitation = await invite('guest@example.com', { role: 'viewer', project_roles });
  await server.db.deleteFrom('projects').where('id', '=', gone.id).execute();
  await accept(tokenOf(invitation));
  const members = await admin.members.list(organizationId);
  expect(members.at(-1)!.project_roles).toEqual(project_roles.slice(0, 1));
});

test('an admin replaces all project roles of a member in one change', async () => {
  const [, , member] = await admin.members.list(server.organizationId);
  const { id } = member!;
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const update = (project_roles: { project_id: string; role: 'editor' | 'viewer' }[]) =>
    admin.members.update(server.organizationId, id, { project_roles });
  const both = [
    { project_id: server.projectId, role: 'editor' as const },
    { project_id: other.id, role: 'viewer' as const },
  ];
  const updated = await update(both);
  expect(updated.project_roles).toHaveLength(2);
  expect(updated.revision).toBe(member!.revision + 1);
  expect((await update([...both].reverse())).revision).toBe(updated.revision);
  const [entry] = await admin.audit.list({ action: 'member.updated' });
  expect(entry!.changes).toMatchObject({ project_roles: { from: [] } });
  expect((await update([])).project_roles).toEqual([]);
  const unknown = update([{ project_id: 'prj_x', role: 'viewer' }]);
  expect(await codeOf(unknown)).toBe('PROJECT_NOT_FOUND');
});
