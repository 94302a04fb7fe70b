import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Answer,
  booleanFlag,
  enter,
  PASSWORD,
  startEmptyServer,
  startServer,
  type TestServer,
} from '../../../../test/server.ts';
import type { Mail } from '../../mail/mailer.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
let server: TestServer;
let mails: Mail[];
let organization: string;
let ids: Record<'admin' | 'editor' | 'viewer', string>;

beforeEach(async () => {
  mails = [];
  server = await startServer({
    sendMail: async (mail) => {
      mails.push(mail);
    },
  });
  organization = `/organizations/${server.organizationId}`;
  const { body } = await as('admin', 'GET', `${organization}/members`);
  ids = Object.fromEntries(
    body.data.map((one: { role: string; id: string }) => [one.role, one.id]),
  ) as typeof ids;
});
afterEach(() => server.close());

function as(role: 'admin' | 'editor' | 'viewer', method: string, url: string, body?: unknown) {
  return server.call({ method: method as 'GET', url, token: server.tokens[role], body });
}
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code];
const accept = (body: object) => server.call({ method: 'POST', url: '/auth/invitations/accept', body });
const tokenOf = (url: string): string => /#token=(\S+)$/.exec(url)![1]!;
const invite = (email: string, more: object = {}) =>
  as('admin', 'POST', `${organization}/invitations`, { email, role: 'editor', ...more });

test('lists members with their rights', async () => {
  const { body } = await as('viewer', 'GET', `${organization}/members`);
  expect(body.meta.total).toBe(3);
  expect(body.data[0]).toEqual({
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

test('counts requests by personal tokens as activity', async () => {
  const made = await as('viewer', 'POST', '/auth/tokens', { name: 'ci', scopes: ['read'] });
  server.advance(60 * 60 * 1000);
  await server.call({ url: '/projects', token: made.body.data.token });
  const { body } = await as('admin', 'GET', `${organization}/members`);
  const viewer = body.data.find((one: { id: string }) => one.id === ids.viewer);
  expect(viewer.last_active_at).toMatch(/^2026-11-20T11:/);
});

test('changes a role, which applies from the next request on', async () => {
  const patch = await as('admin', 'PATCH', `${organization}/members/${ids.viewer}`, { role: 'editor' });
  expect(patch.body.data.role).toBe('editor');
  const create = await as('viewer', 'POST', `/projects/${server.projectId}/segments`, {
    key: 'x',
    conditions: [],
  });
  expect(create.status).toBe(201);
  const { body } = await as('admin', 'GET', '/audit-log?action=member.role_changed');
  expect(body.data[0]).toMatchObject({
    resource: { type: 'user', id: ids.viewer, key: 'viewer@example.com' },
    changes: { role: { from: 'viewer', to: 'editor' } },
  });
});

test('checks changes of a member against their revision', async () => {
  const url = `${organization}/members/${ids.viewer}`;
  const send = (
    method: 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body: object | undefined,
    ifMatch: string,
  ) => server.call({ method, url: path, token: server.tokens.admin, body, headers: { 'if-match': ifMatch } });
  const first = await send('PATCH', url, { role: 'editor' }, '"1"');
  expect([first.headers.etag, first.body.data.revision]).toEqual(['"2"', 2]);
  // A change without effect does not raise the revision.
  expect((await send('PATCH', url, { role: 'editor' }, '"2"')).headers.etag).toBe('"2"');
  const inProject = `/projects/${server.projectId}/members/${ids.viewer}`;
  expect((await send('PUT', inProject, { role: 'admin' }, '"2"')).headers.etag).toBe('"3"');
  const stale = await send('PATCH', url, { role: 'viewer' }, '"2"');
  expect(codeOf(stale)).toEqual([412, 'PRECONDITION_FAILED']);
  expect(stale.body.error.details).toEqual({
    current_revision: 3,
    diff: { role: { from: 'editor', to: 'viewer' } },
    diff_basis: 'request',
  });
  expect((await send('DELETE', url, undefined, '"2"')).status).toBe(412);
  expect((await as('admin', 'GET', `${organization}/members`)).body.data[2].revision).toBe(3);
  expect((await send('DELETE', url, undefined, '"3"')).status).toBe(204);
});

test('keeps at least one admin', async () => {
  const own = `${organization}/members/${ids.admin}`;
  expect(codeOf(await as('admin', 'PATCH', own, { role: 'viewer' }))).toEqual([409, 'LAST_ADMIN']);
  expect(codeOf(await as('admin', 'DELETE', own))).toEqual([409, 'LAST_ADMIN']);
  await as('admin', 'PATCH', `${organization}/members/${ids.editor}`, { role: 'admin' });
  // A disabled admin does not count.
  const disable = (disabled_at: string | null) =>
    server.db.updateTable('users').set({ disabled_at }).where('id', '=', ids.editor).execute();
  await disable('2026-11-20T10:00:00.000Z');
  expect(codeOf(await as('admin', 'DELETE', own))).toEqual([409, 'LAST_ADMIN']);
  await disable(null);
  expect((await as('admin', 'PATCH', own, { role: 'viewer' })).status).toBe(200);
  expect((await as('admin', 'GET', `${organization}/invitations`)).status).toBe(403);
});

test('removes a member with their sessions and tokens', async () => {
  const token = await as('editor', 'POST', '/auth/tokens', { name: 'ci', scopes: ['admin'] });
  expect((await as('admin', 'DELETE', `${organization}/members/${ids.editor}`)).status).toBe(204);
  expect(codeOf(await as('editor', 'GET', '/projects'))).toEqual([401, 'INVALID_TOKEN']);
  const personal = await server.call({ url: '/projects', token: token.body.data.token });
  expect(codeOf(personal)).toEqual([401, 'INVALID_TOKEN']);
  const login = { email: 'editor@example.com', password: PASSWORD };
  expect((await server.call({ method: 'POST', url: '/auth/login', body: login })).status).toBe(401);
  const again = await as('admin', 'DELETE', `${organization}/members/${ids.editor}`);
  expect(codeOf(again)).toEqual([404, 'MEMBER_NOT_FOUND']);
  const back = await invite('editor@example.com');
  expect((await accept({ token: tokenOf(back.body.data.accept_url) })).status).toBe(201);
  expect((await enter(server, 'editor@example.com')).role).toBe('editor');
});

test('does not revive sessions and tokens of a removed member who joins again', async () => {
  const { accessToken, refreshToken } = await enter(server, 'editor@example.com');
  const made = await as('editor', 'POST', '/auth/tokens', { name: 'ci', scopes: ['admin'] });
  const personal = made.body.data.token;
  await as('admin', 'DELETE', `${organization}/members/${ids.editor}`);
  const back = await invite('editor@example.com', { role: 'admin' });
  await accept({ token: tokenOf(back.body.data.accept_url) });
  for (const token of [accessToken, personal]) {
    expect(codeOf(await server.call({ url: '/auth/me', token }))).toEqual([401, 'INVALID_TOKEN']);
  }
  const body = { refresh_token: refreshToken };
  const refreshed = await server.call({ method: 'POST', url: '/auth/refresh', body });
  expect(codeOf(refreshed)).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  const again = await enter(server, 'editor@example.com');
  const tokens = await server.call({ url: '/auth/tokens', token: again.accessToken });
  expect([again.role, tokens.body.data]).toEqual(['admin', []]);
});

test('refuses changes in environments that the membership does not include', async () => {
  const { development, production } = server.environments;
  const patch = await as('admin', 'PATCH', `${organization}/members/${ids.editor}`, {
    environment_ids: [development],
  });
  expect(patch.body.data.environment_ids).toEqual([development]);
  const path = `/flags?environment_id=${development}`;
  expect(codeOf(await as('editor', 'POST', path, booleanFlag('x')))).toEqual([
    403,
    'INSUFFICIENT_PERMISSIONS',
  ]);
  const flag = await as('admin', 'POST', path, booleanFlag('x'));
  const toggle = (environmentId: string) =>
    as('editor', 'POST', `/flags/${flag.body.data.id}/toggle?environment_id=${environmentId}`, {
      enabled: true,
    });
  expect((await toggle(development)).status).toBe(200);
  const refused = await toggle(production);
  expect(codeOf(refused)).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  expect(refused.body.error.details).toMatchObject({ environment_id: production });
  const read = await as('editor', 'GET', `/flags/${flag.body.data.id}?environment_id=${production}`);
  expect(read.status).toBe(200);
  const admin = await as('admin', 'PATCH', `${organization}/members/${ids.admin}`, {
    environment_ids: [development],
  });
  expect(admin.status).toBe(400);
  const unknown = await as('admin', 'PATCH', `${organization}/members/${ids.editor}`, {
    environment_ids: ['env_x'],
  });
  expect(codeOf(unknown)).toEqual([404, 'ENVIRONMENT_NOT_FOUND']);
});

test('grants a project role in addition to the organization role, in that project only', async () => {
  const other = (await as('admin', 'POST', '/projects', { key: 'other', name: 'Other' })).body.data.id;
  const set = await as('admin', 'PUT', `/projects/${server.projectId}/members/${ids.viewer}`, {
    role: 'admin',
  });
  expect(set.body.data.project_roles).toEqual([{ project_id: server.projectId, role: 'admin' }]);
  const segment = (projectId: string) =>
    as('viewer', 'POST', `/projects/${projectId}/segments`, { key: 'x', conditions: [] });
  expect((await segment(server.projectId)).status).toBe(201);
  expect(codeOf(await segment(other))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);

  const keys = (environmentId: string) => `/environments/${environmentId}/api-keys`;
  const { body } = await as('admin', 'GET', `/projects/${other}/environments`);
  expect((await as('viewer', 'GET', keys(server.environments.production))).status).toBe(200);
  const made = await as('viewer', 'POST', keys(server.environments.production), { name: 'k' });
  expect(made.status).toBe(201);
  for (const environment of body.data) {
    expect((await as('viewer', 'GET', keys(environment.id))).status).toBe(403);
    expect((await as('viewer', 'POST', keys(environment.id), { name: 'k' })).status).toBe(403);
  }
  // Settings of the organization stay closed.
  for (const url of ['/break-glass', `${organization}/invitations`]) {
    expect((await as('viewer', 'GET', url)).status).toBe(403);
  }
  expect((await as('viewer', 'POST', '/freeze-windows', { name: 'x' })).status).toBe(403);
  const lower = `/projects/${server.projectId}/members/${ids.admin}`;
  await as('admin', 'PUT', lower, { role: 'viewer' });
  expect((await as('admin', 'PATCH', `/projects/${server.projectId}`, { name: 'Still' })).status).toBe(200);

  const gone = await as('admin', 'DELETE', `/projects/${server.projectId}/members/${ids.viewer}`);
  expect(gone.status).toBe(204);
  expect((await as('viewer', 'GET', keys(server.environments.staging))).status).toBe(403);
});

test('invites with a token that is returned once, mailed, and stored as a hash', async () => {
  const { status, body } = await invite('Guest@example.com');
  expect(status).toBe(201);
  const { accept_url, ...record } = body.data;
  expect(accept_url).toMatch(/^http:\/\/localhost:3000\/accept-invitation#token=invt_[\w-]{43}$/);
  expect(record).toMatchObject({ id: expect.stringMatching(/^inv_/), role: 'editor', status: 'pending' });
  await expect.poll(() => mails.map((mail) => mail.to)).toEqual(['Guest@example.com']);
  expect(mails[0]!.text).toContain(accept_url);
  const list = await as('admin', 'GET', `${organization}/invitations`);
  expect(list.body.data).toEqual([record]);
  const rows = JSON.stringify([
    await server.db.selectFrom('invitations').selectAll().execute(),
    await server.db.selectFrom('audit_entries').selectAll().execute(),
  ]);
  expect(rows).not.toContain(tokenOf(accept_url));
});

test('accepting makes the invited person a member once, with the roles of the invitation', async () => {
  const projectRoles = [{ project_id: server.projectId, role: 'editor' }];
  const { body } = await invite('guest@example.com', { role: 'viewer', project_roles: projectRoles });
  const token = tokenOf(body.data.accept_url);
  expect(codeOf(await accept({ token }))).toEqual([400, 'VALIDATION_ERROR']);
  const accepted = await accept({ token, password: PASSWORD, full_name: 'Guest' });
  expect([accepted.status, accepted.body.data]).toEqual([
    201,
    expect.objectContaining({ email: 'guest@example.com', full_name: 'Guest', role: 'viewer' }),
  ]);
  expect(codeOf(await accept({ token, password: PASSWORD }))).toEqual([401, 'INVALID_INVITATION']);
  const guest = await enter(server, 'guest@example.com');
  const segment = await server.call({
    method: 'POST',
    url: `/projects/${server.projectId}/segments`,
    token: guest.accessToken,
    body: { key: 'x', conditions: [] },
  });
  expect(segment.status).toBe(201);
  expect(codeOf(await invite('guest@example.com'))).toEqual([409, 'MEMBER_EXISTS']);
});

test('accepting does not change the role of a person who registered before', async () => {
  const { body } = await invite('guest@example.com', { role: 'admin' });
  await enter(server, 'guest@example.com');
  const late = await accept({ token: tokenOf(body.data.accept_url), password: 'another horse' });
  expect(codeOf(late)).toEqual([409, 'MEMBER_EXISTS']);
  expect((await enter(server, 'guest@example.com')).role).toBe('viewer');
});

test('accepts one of two simultaneous acceptances', async () => {
  const token = tokenOf((await invite('guest@example.com')).body.data.accept_url);
  const both = await Promise.all([0, 1].map(() => accept({ token, password: PASSWORD })));
  expect(both.map((answer) => answer.status).sort()).toEqual([201, 401]);
});

test('refuses invitations that are expired, revoked, resent or replaced', async () => {
  const urlOf = (answer: Answer): string => tokenOf(answer.body.data.accept_url);
  const first = await invite('guest@example.com');
  const second = await invite('guest@example.com');
  const one = `${organization}/invitations/${second.body.data.id}`;
  const third = await as('admin', 'POST', `${one}/resend`);
  for (const answer of [first, second]) {
    expect((await accept({ token: urlOf(answer), password: PASSWORD })).status).toBe(401);
  }
  expect((await as('admin', 'DELETE', one)).status).toBe(204);
  expect((await accept({ token: urlOf(third), password: PASSWORD })).status).toBe(401);
  expect(codeOf(await as('admin', 'DELETE', one))).toEqual([404, 'INVITATION_NOT_FOUND']);
  const fourth = await invite('guest@example.com');
  server.advance(7 * DAY_MS);
  expect((await accept({ token: urlOf(fourth), password: PASSWORD })).status).toBe(401);
});

test('checks resending and revoking an invitation against its revision', async () => {
  const made = await invite('guest@example.com');
  expect([made.headers.etag, made.body.data.revision]).toEqual(['"1"', 1]);
  const one = `${organization}/invitations/${made.body.data.id}`;
  const ask = (method: 'POST' | 'DELETE', url: string, revision: number) => {
    const headers = { 'if-match': `"${revision}"` };
    return server.call({ method, url, token: server.tokens.admin, headers });
  };
  const renewed = await ask('POST', `${one}/resend`, 1);
  expect([renewed.headers.etag, renewed.body.data.revision]).toEqual(['"2"', 2]);
  const [listed] = (await as('admin', 'GET', `${organization}/invitations`)).body.data;
  expect(listed.revision).toBe(2);
  for (const late of [await ask('POST', `${one}/resend`, 1), await ask('DELETE', one, 1)]) {
    expect(codeOf(late)).toEqual([412, 'PRECONDITION_FAILED']);
    expect(late.body.error.details.current_revision).toBe(2);
  }
  const { accept_url } = renewed.body.data;
  expect((await ask('DELETE', one, 2)).status).toBe(204);
  expect(codeOf(await accept({ token: tokenOf(accept_url), password: PASSWORD }))[0]).toBe(401);
});

test('limits registration and invitations to the allowed email domains', async () => {
  const settings = { allowed_email_domains: ['Example.com'], default_member_role: 'editor' };
  await as('admin', 'PATCH', organization, { settings });
  expect(codeOf(await invite('guest@elsewhere.example'))).toEqual([422, 'EMAIL_DOMAIN_NOT_ALLOWED']);
  const register = (email: string) =>
    server.call({ method: 'POST', url: '/auth/register', body: { email, password: PASSWORD } });
  expect(codeOf(await register('guest@elsewhere.example'))).toEqual([422, 'EMAIL_DOMAIN_NOT_ALLOWED']);
  expect((await register('guest@example.com')).body.data.role).toBe('editor');
  const bad = await as('admin', 'PATCH', organization, { settings: { allowed_email_domains: ['x@y'] } });
  expect(codeOf(bad)).toEqual([400, 'VALIDATION_ERROR']);
});

test('accepts at most 50 open invitations', async () => {
  for (let index = 0; index < 50; index++) await invite(`guest${index}@example.com`);
  expect(codeOf(await invite('one-more@example.com'))).toEqual([422, 'LIMIT_EXCEEDED']);
  expect((await invite('guest0@example.com')).status).toBe(201);
});

test('does not count expired invitations', async () => {
  for (let index = 0; index < 50; index++) await invite(`guest-${index}@example.com`);
  server.advance(8 * 24 * 60 * 60 * 1000);
  const { accessToken: token } = await enter(server, 'admin@example.com');
  const body = { email: 'late@example.com', role: 'viewer' };
  const late = await server.call({ method: 'POST', url: `${organization}/invitations`, token, body });
  expect(late.status).toBe(201);
});

test('accepts no new users where registration is closed, not even by invitation', async () => {
  const closed = await startEmptyServer({ registration: 'closed' });
  try {
    const { accessToken: token } = await enter(closed, 'first@example.com');
    const { id } = (await closed.call({ url: '/organizations', token })).body.data[0];
    const send = (email: string) =>
      closed.call({
        method: 'POST',
        url: `/organizations/${id}/invitations`,
        token,
        body: { email, role: 'viewer' },
      });
    expect(codeOf(await send('new@example.com'))).toEqual([403, 'REGISTRATION_CLOSED']);
    // A former member still has an account.
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
    const invited = await send('back@example.com');
    expect(invited.status).toBe(201);
    const body = { token: tokenOf(invited.body.data.accept_url) };
    const accepted = await closed.call({ method: 'POST', url: '/auth/invitations/accept', body });
    expect(accepted.status).toBe(201);
  } finally {
    await closed.close();
  }
});

test('grants the project roles of an invitation only for projects that still exist', async () => {
  const project = await as('admin', 'POST', '/projects', { key: 'gone', name: 'G', environments: [] });
  const project_roles = [
    { project_id: server.projectId, role: 'admin' },
    { project_id: project.body.data.id, role: 'admin' },
  ];
  const invited = await invite('guest@example.com', { role: 'viewer', project_roles });
  await server.db.deleteFrom('projects').where('id', '=', project.body.data.id).execute();
  const accepted = await accept({ token: tokenOf(invited.body.data.accept_url), password: PASSWORD });
  expect(accepted.status).toBe(201);
  const { body } = await as('admin', 'GET', `${organization}/members`);
  expect(body.data.at(-1).project_roles).toEqual(project_roles.slice(0, 1));
});
