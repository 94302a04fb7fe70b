import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';
import type { Scope } from '../../access/scopes.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const HOUR_MS = 60 * 60 * 1000;
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code];

function call(token: string, method: string, url: string, body?: object, headers = {}): Promise<Answer> {
  return server.call({ method: method as 'GET', url, token, headers, ...(body && { body }) });
}

const admin = (method: string, url: string, body?: object) => call(server.tokens.admin, method, url, body);

async function account(more: object = {}): Promise<{ id: string; revision: number }> {
  const { status, body } = await admin('POST', '/service-accounts', {
    name: 'deploys',
    role: 'editor',
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
}

async function tokenOf(id: string, scopes: readonly Scope[] = ['admin'], more: object = {}) {
  const url = `/service-accounts/${id}/tokens`;
  return (await admin('POST', url, { name: 'ci', scopes, ...more })).body.data;
}

async function flag(token: string, environment: keyof TestServer['environments'], key: string, more = {}) {
  const url = `/flags?environment_id=${server.environments[environment]}`;
  return call(token, 'POST', url, booleanFlag(key, more));
}

const segment = (token: string, key: string, projectId = server.projectId) =>
  call(token, 'POST', `/projects/${projectId}/segments`, { key, conditions: [] });

async function lastEntry(query: string) {
  return (await admin('GET', `/audit-log?${query}`)).body.data[0];
}

test('service accounts are created, read, updated and deleted, each change with an audit entry', async () => {
  const created = await account({ description: 'ships the web shop' });
  expect(created).toMatchObject({
    id: expect.stringMatching(/^svc_[0-9A-Z]{26}$/),
    kind: 'service_account',
    name: 'deploys',
    description: 'ships the web shop',
    role: 'editor',
    environment_ids: null,
    project_roles: [],
    status: 'active',
    last_used_at: null,
    revision: 1,
  });
  const url = `/service-accounts/${created.id}`;
  expect((await admin('GET', url)).body.data).toEqual(created);
  const patched = await admin('PATCH', url, { role: 'viewer', description: '' });
  expect(patched.body.data).toMatchObject({ role: 'viewer', description: '', revision: 2 });
  expect(patched.headers['etag']).toBe('"2"');
  const entry = await lastEntry(`resource_id=${created.id}`);
  expect(entry).toMatchObject({
    action: 'service_account.updated',
    resource: { type: 'service_account', key: 'deploys' },
    changes: { role: { from: 'editor', to: 'viewer' } },
  });
  const stale = await call(server.tokens.admin, 'PATCH', url, { name: 'x' }, { 'if-match': '"1"' });
  expect(codeOf(stale)).toEqual([412, 'PRECONDITION_FAILED']);
  const second = await account({ name: 'second' });
  const list = await admin('GET', '/service-accounts');
  expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([created.id, second.id]);
  expect((await admin('DELETE', url)).status).toBe(204);
  expect(codeOf(await admin('GET', url))).toEqual([404, 'SERVICE_ACCOUNT_NOT_FOUND']);
});

test('tokens are returned once and never stored', async () => {
  const { id } = await account();
  const body = { name: 'ci', scopes: ['read'] };
  const url = `/service-accounts/${id}/tokens`;
  const headers = { 'idempotency-key': 'once' };
  const made = await call(server.tokens.admin, 'POST', url, body, headers);
  expect(made.body.data).toMatchObject({
    id: expect.stringMatching(/^svt_/),
    token: expect.stringMatching(/^svc_[0-9A-Za-z]{38}$/),
    scopes: ['read'],
    status: 'active',
  });
  const { token, ...shown } = made.body.data;
  const again = await call(server.tokens.admin, 'POST', url, body, headers);
  expect(again.body.data).toEqual(shown);
  expect((await admin('GET', url)).body.data).toEqual([shown]);
  const stored = [
    await server.db.selectFrom('service_account_tokens').selectAll().execute(),
    await server.db.selectFrom('audit_entries').selectAll().execute(),
    await server.db.selectFrom('idempotency_keys').selectAll().execute(),
  ];
  expect(JSON.stringify(stored)).not.toContain(token.slice(4));
});

test('a token is limited to the account’s role and its own scopes', async () => {
  const { id } = await account();
  const read = (await tokenOf(id, ['read'])).token;
  const write = (await tokenOf(id, ['flags:write'])).token;
  const all = (await tokenOf(id, ['admin'])).token;
  expect((await call(read, 'GET', '/projects')).status).toBe(200);
  expect(codeOf(await segment(read, 'a'))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  expect((await segment(write, 'a')).status).toBe(201);
  const key = (token: string, environment: string) =>
    call(token, 'POST', `/environments/${environment}/api-keys`, { name: 'k' });
  expect((await key(write, server.environments.staging)).status).toBe(403);
  expect((await key(all, server.environments.staging)).status).toBe(201);
  expect((await key(all, server.environments.production)).status).toBe(403);
  // Rights that the account loses are lost to its tokens at once.
  await admin('PATCH', `/service-accounts/${id}`, { role: 'viewer' });
  expect(codeOf(await segment(all, 'b'))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
});

test('a token with the scope can send code references', async () => {
  const { id } = await account();
  const { token } = await tokenOf(id, ['code_references:write']);
  const body = { repository: 'r', branch: 'main', revision: '1', references: [] };
  const sent = await call(token, 'PUT', `/projects/${server.projectId}/code-references`, body);
  expect(sent.status).toBe(200);
  expect((await segment(token, 'a')).status).toBe(403);
});

test('an account can have project roles, which end with the project', async () => {
  const other = (await admin('POST', '/projects', { key: 'other', name: 'Other' })).body.data;
  const project_roles = [{ project_id: other.id, role: 'editor' }];
  const { id } = await account({ role: 'viewer', project_roles });
  const { token } = await tokenOf(id);
  expect((await segment(token, 'a')).status).toBe(403);
  expect((await segment(token, 'a', other.id)).status).toBe(201);
  await admin('DELETE', `/projects/${other.id}?confirm_key=other`);
  server.advance(40 * 24 * HOUR_MS);
  await server.app.runBackground();
  const { accessToken } = await enter(server, 'admin@example.com');
  const after = await call(accessToken, 'GET', `/service-accounts/${id}`);
  expect(after.body.data.project_roles).toEqual([]);
});

test('an account can be disabled after its project and environment are gone', async () => {
  const { environments, projectId } = server;
  const other = (await admin('POST', '/projects', { key: 'other', name: 'Other' })).body.data;
  const added = await admin('POST', `/projects/${projectId}/environments`, {
    key: 'tmp',
    name: 'Tmp',
    type: 'staging',
  });
  const project_roles = [{ project_id: other.id, role: 'editor' }];
  const { id } = await account({ environment_ids: [added.body.data.id], project_roles });
  await admin('DELETE', `/projects/${other.id}?confirm_key=other`);
  await admin('DELETE', `/environments/${added.body.data.id}?confirm_key=tmp`);
  const patch = (body: object) => admin('PATCH', `/service-accounts/${id}`, body);
  expect((await patch({ disabled: true })).body.data).toMatchObject({ status: 'disabled' });
  expect(codeOf(await patch({ project_roles }))).toEqual([404, 'PROJECT_NOT_FOUND']);
  expect((await patch({ environment_ids: [environments.staging] })).status).toBe(200);
});

test('an account has one role per project, in any order given', async () => {
  const { projectId } = server;
  const other = (await admin('POST', '/projects', { key: 'other', name: 'Other' })).body.data;
  const roles = [projectId, other.id].sort().map((project_id) => ({ project_id, role: 'editor' }));
  const created = await account({ role: 'viewer', project_roles: [...roles].reverse() });
  expect(created).toMatchObject({ project_roles: roles });
  const url = `/service-accounts/${created.id}`;
  const again = await admin('PATCH', url, { project_roles: [...roles].reverse(), role: 'viewer' });
  expect(again.body.data).toMatchObject({ revision: 1, project_roles: roles });
  expect((await lastEntry(`resource_id=${created.id}`)).action).toBe('service_account.created');
  const twice = await admin('PATCH', url, { project_roles: [roles[0], { ...roles[0], role: 'admin' }] });
  expect(twice.body.error.details.fields).toMatchObject([{ field: 'project_roles.1.project_id' }]);
});

test('an account has at most fifty tokens', async () => {
  const { id } = await account();
  for (let index = 0; index < 50; index++) await tokenOf(id);
  const more = await admin('POST', `/service-accounts/${id}/tokens`, { name: 'x', scopes: ['read'] });
  expect(more.body.error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { maximum: 50 } });
});

test('an account shows its last use to the minute', async () => {
  const { id } = await account();
  const { token } = await tokenOf(id);
  const usedAt = async () => {
    await call(token, 'GET', '/projects');
    return (await admin('GET', `/service-accounts/${id}`)).body.data.last_used_at;
  };
  const first = await usedAt();
  expect(await usedAt()).toBe(first);
  server.advance(60_000);
  expect(await usedAt()).not.toBe(first);
});

test('an idempotency key of another caller does not replay their answer', async () => {
  const { id } = await account();
  const { token } = await tokenOf(id, ['read']);
  const url = `/flags?environment_id=${server.environments.staging}`;
  const create = (by: string) => call(by, 'POST', url, booleanFlag('once'), { 'idempotency-key': 'shared' });
  expect((await create(server.tokens.admin)).status).toBe(201);
  expect((await create(server.tokens.admin)).status).toBe(201);
  expect((await create(server.tokens.editor)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect((await create(token)).status).toBe(403);
});

test('an account changes only its own environments', async () => {
  const { id } = await account({ environment_ids: [server.environments.staging] });
  const { token } = await tokenOf(id);
  const made = (await flag(server.tokens.admin, 'staging', 'checkout')).body.data;
  const toggle = (environment: 'staging' | 'production') =>
    call(token, 'POST', `/flags/${made.id}/toggle?environment_id=${server.environments[environment]}`, {
      enabled: true,
    });
  expect((await toggle('staging')).status).toBe(200);
  expect(codeOf(await toggle('production'))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  // As for a member, the admin role lifts the restriction, also after a return to editor.
  const url = `/service-accounts/${id}`;
  expect((await admin('PATCH', url, { role: 'admin' })).body.data.environment_ids).toBeNull();
  expect((await toggle('production')).status).toBe(200);
  expect((await admin('PATCH', url, { role: 'editor' })).body.data.environment_ids).toBeNull();
});

async function viewerId(): Promise<string> {
  return (await call(server.tokens.viewer, 'GET', '/auth/me')).body.data.id;
}

test('an account cannot use permissions that require a session', async () => {
  const { id } = await account({ role: 'admin' });
  const { token } = await tokenOf(id);
  const glass = {
    scope: { environment_ids: [server.environments.production] },
    justification: 'a reason that is long enough',
  };
  const refused: readonly [string, string, object?][] = [
    ['POST', '/break-glass', glass],
    ['POST', '/service-accounts', { name: 'another', role: 'admin' }],
    ['POST', `/service-accounts/${id}/tokens`, { name: 'another', scopes: ['admin'] }],
    ['PATCH', `/service-accounts/${id}`, { role: 'admin' }],
    ['POST', '/auth/tokens', { name: 'another', scopes: ['admin'] }],
    ['POST', '/auth/logout'],
    [
      'POST',
      `/organizations/${server.organizationId}/invitations`,
      { email: 'x@example.com', role: 'admin' },
    ],
    ['PATCH', `/organizations/${server.organizationId}/members/${await viewerId()}`, { role: 'admin' }],
    ['PATCH', `/organizations/${server.organizationId}`, { settings: { require_mfa: false } }],
    ['GET', '/auth/sessions'],
  ];
  for (const [method, url, body] of refused) {
    const answer = await call(token, method, url, body);
    expect([url, ...codeOf(answer)]).toEqual([url, 403, 'INSUFFICIENT_PERMISSIONS']);
    expect(answer.body.error.message).toMatch(/access token of a login/);
  }
  expect((await call(token, 'GET', '/service-accounts')).status).toBe(200);
});

test('an account cannot use break-glass during a freeze', async () => {
  const { id } = await account({ role: 'admin' });
  const { token } = await tokenOf(id);
  await admin('POST', '/freeze-windows', { name: 'f', scope: {} });
  const url = `/flags?environment_id=${server.environments.staging}`;
  const create = (headers: object) => call(token, 'POST', url, booleanFlag('frozen'), headers);
  expect(codeOf(await create({}))).toEqual([409, 'FREEZE_WINDOW_ACTIVE']);
  const forced = await create({ 'x-break-glass-justification': 'a reason that is long enough' });
  expect(codeOf(forced)).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
});

test('the audit log names an account, and it cannot own flags', async () => {
  const { id } = await account();
  const { token, id: token_id } = await tokenOf(id);
  const made = await flag(token, 'staging', 'checkout');
  expect(made.body.data.owner_id).toBeNull();
  const entry = await lastEntry('action=flag.created');
  const actor = { id, email: null, name: 'deploys', kind: 'service_account' };
  expect(entry.actor).toEqual({ ...actor, token_id });
  const at = `/flags/${made.body.data.id}`;
  const query = `?environment_id=${server.environments.staging}`;
  for (const path of ['/history', '/revisions']) {
    expect((await admin('GET', at + path + query)).body.data[0].actor).toEqual(actor);
  }
  await admin('PATCH', `/service-accounts/${id}`, { name: 'renamed' });
  await admin('DELETE', `/service-accounts/${id}`);
  const found = await admin('GET', '/audit-log?q=deploys&actor_kind=service_account');
  expect(found.body.data.map((one: { action: string }) => one.action)).toEqual(['flag.created']);
  expect((await lastEntry('actor_kind=user')).actor).toMatchObject({ name: null, token_id: null });
});

test('an account can read its own record', async () => {
  const { id } = await account({ kind: 'agent' });
  const { token } = await tokenOf(id, ['read']);
  expect((await call(token, 'GET', '/auth/me')).body.data).toMatchObject({
    id,
    kind: 'agent',
    email: null,
    full_name: 'deploys',
    role: 'editor',
    last_login_at: null,
    organizations: [{ id: server.organizationId, role: 'editor' }],
  });
  expect((await admin('GET', '/auth/me')).body.data.kind).toBe('user');
});

test('a token is refused once it is revoked or expired, or its account is disabled or deleted', async () => {
  const { id } = await account();
  const url = `/service-accounts/${id}`;
  const first = await tokenOf(id);
  const short = await tokenOf(id, ['read'], { expires_at: '2026-11-20T12:00:00Z' });
  const last = await tokenOf(id);
  const works = async ({ token }: { token: string }) => {
    const answer = await call(token, 'GET', '/projects');
    if (answer.status !== 200) expect(codeOf(answer)).toEqual([401, 'INVALID_TOKEN']);
    return answer.status === 200;
  };
  expect([await works(first), await works(short), await works(last)]).toEqual([true, true, true]);
  expect((await admin('DELETE', `${url}/tokens/${first.id}`)).status).toBe(204);
  expect(await works(first)).toBe(false);
  expect(codeOf(await admin('DELETE', `${url}/tokens/${first.id}`))).toEqual([
    404,
    'SERVICE_ACCOUNT_TOKEN_NOT_FOUND',
  ]);
  server.advance(3 * HOUR_MS);
  expect(await works(short)).toBe(false);
  await admin('PATCH', url, { disabled: true });
  expect(await works(last)).toBe(false);
  expect((await admin('PATCH', url, { disabled: false })).body.data.status).toBe('active');
  expect(await works(last)).toBe(true);
  expect((await admin('GET', url)).body.data.last_used_at).toMatch(/^2026-11-20T13:/);
  await admin('DELETE', url);
  expect(await works(last)).toBe(false);
  expect(await server.db.selectFrom('service_account_tokens').selectAll().execute()).toEqual([]);
});

test('an account outlives the membership of its creator', async () => {
  const { id } = await account();
  const { token } = await tokenOf(id);
  await server.db
    .updateTable('users')
    .set({ disabled_at: '2026-11-20T10:00:00.000Z' })
    .where('email', '=', 'admin@example.com')
    .execute();
  expect((await segment(token, 'a')).status).toBe(201);
});

test('scheduled changes of an account run with its rights at that time', async () => {
  const { id } = await account();
  const { token } = await tokenOf(id);
  const made = (await flag(server.tokens.admin, 'staging', 'checkout')).body.data;
  const plan = async (execute_at: string) => {
    const answer = await call(token, 'POST', `/flags/${made.id}/scheduled-changes`, {
      environment_id: server.environments.staging,
      execute_at,
      changes: [{ op: 'set_enabled', enabled: true }],
    });
    expect(answer.status).toBe(201);
    expect(answer.body.data.created_by).toEqual({ id, email: null });
    return answer.body.data.id;
  };
  const first = await plan('2026-11-20T11:00:00Z');
  const second = await plan('2026-11-20T12:00:00Z');
  const statusOf = async (one: string) =>
    (await admin('GET', `/scheduled-changes/${one}`)).body.data.status as string;
  server.advance(1.5 * HOUR_MS);
  await server.app.runBackground();
  expect(await statusOf(first)).toBe('executed');
  const entry = await lastEntry(`action=flag.*&actor_id=${id}`);
  expect(entry).toMatchObject({ via: 'schedule', actor: { id, kind: 'service_account' } });
  await admin('PATCH', `/service-accounts/${id}`, { disabled: true });
  server.advance(HOUR_MS);
  await server.app.runBackground();
  expect(await statusOf(second)).toBe('failed');
});

test.each([
  ['an admin kept to environments', { role: 'admin', environment_ids: [] }, 'environment_ids'],
  ['an agent as admin', { kind: 'agent', role: 'admin' }, 'role'],
  ['another kind', { kind: 'robot' }, 'kind'],
  ['no name', { name: '' }, 'name'],
])('refuses an account with %s', async (_, more, field) => {
  const answer = await admin('POST', '/service-accounts', { name: 'x', role: 'viewer', ...more });
  expect(codeOf(answer)).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body.error.details.fields[0].field).toBe(field);
});

test('refuses unknown projects and environments, and agents as admins', async () => {
  const { projectId } = server;
  const refused: readonly [object, string][] = [
    [{ project_roles: [{ project_id: 'prj_x', role: 'editor' }] }, 'PROJECT_NOT_FOUND'],
    [{ environment_ids: ['env_x'] }, 'ENVIRONMENT_NOT_FOUND'],
    [{ kind: 'agent', project_roles: [{ project_id: projectId, role: 'admin' }] }, 'VALIDATION_ERROR'],
  ];
  for (const [more, code] of refused) {
    const answer = await admin('POST', '/service-accounts', { name: 'x', role: 'viewer', ...more });
    expect(answer.body.error.code).toBe(code);
  }
  const { id } = await account({ kind: 'agent' });
  const raised = await admin('PATCH', `/service-accounts/${id}`, { role: 'admin' });
  expect(codeOf(raised)).toEqual([400, 'VALIDATION_ERROR']);
});

test('an organization has at most a hundred accounts', async () => {
  for (let index = 0; index < 100; index++) await account();
  const answer = await admin('POST', '/service-accounts', { name: 'x', role: 'viewer' });
  expect(answer.body.error).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { limit: 'service_accounts', maximum: 100 },
  });
});

test('a suspended organization refuses changes by accounts', async () => {
  const { id } = await account();
  const { token } = await tokenOf(id);
  await server.db.updateTable('organizations').set({ status: 'suspended' }).execute();
  expect(codeOf(await segment(token, 'a'))).toEqual([403, 'ORGANIZATION_SUSPENDED']);
});

test('an agent cannot change what a critical environment serves', async () => {
  const { staging, production } = server.environments;
  const { id } = await account({ kind: 'agent' });
  const { token } = await tokenOf(id);
  const made = (await flag(server.tokens.admin, 'staging', 'checkout')).body.data;
  const at = (environment: string, path = '') => `/flags/${made.id}${path}?environment_id=${environment}`;
  const plan = (environment_id: string) =>
    call(token, 'POST', `/flags/${made.id}/scheduled-changes`, {
      environment_id,
      execute_at: '2026-11-20T11:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    });
  expect((await call(token, 'POST', at(staging, '/toggle'), { enabled: true })).status).toBe(200);
  expect((await plan(staging)).status).toBe(201);
  const refused = [
    await call(token, 'POST', at(production, '/toggle'), { enabled: true }),
    await plan(production),
    await call(token, 'DELETE', at(production)),
    await flag(token, 'staging', 'everywhere'),
  ];
  for (const answer of refused) expect(codeOf(answer)).toEqual([403, 'AGENT_NOT_ALLOWED']);
  expect(refused[0]!.body.error.details).toMatchObject({ environment_id: production });
  // No environment serves a draft; a person activates it.
  const draft = await flag(token, 'staging', 'prepared', { draft: true });
  expect(draft.status).toBe(201);
  const activate = `/flags/${draft.body.data.id}/activate?environment_id=${staging}`;
  expect(codeOf(await call(token, 'POST', activate, {}))).toEqual([403, 'AGENT_NOT_ALLOWED']);
  expect((await admin('POST', activate, {})).status).toBe(200);
  // Admins decide which environments are critical.
  await admin('PATCH', `/environments/${production}`, { critical: false });
  expect((await call(token, 'POST', at(production, '/toggle'), { enabled: true })).status).toBe(200);
});

const draftIn = (key: string, environments: object) => ({
  document: {
    apiVersion: 'flagsvc/v1',
    kind: 'Project',
    flags: [{ ...booleanFlag(key), status: 'draft', environments }],
  },
});

async function imported(token: string, body: object): Promise<{ status: string; error: { code: string } }> {
  const planned = await call(token, 'POST', `/projects/${server.projectId}/imports`, body);
  const applied = await call(
    token,
    'POST',
    `/imports/${planned.body.data.id}/apply`,
    {},
    { prefer: 'wait=10' },
  );
  return applied.body.data ?? applied.body;
}

test('an agent cannot configure a critical environment in a draft', async () => {
  const { id } = await account({ kind: 'agent' });
  const { token } = await tokenOf(id);
  const on = { enabled: true, default_variation: 'on' };
  expect(await imported(token, draftIn('plain', {}))).toMatchObject({ status: 'applied' });
  expect(await imported(token, draftIn('near', { staging: on }))).toMatchObject({
    error: { code: 'AGENT_NOT_ALLOWED' },
  });
  expect(await imported(token, draftIn('live', { production: on }))).toMatchObject({
    error: { code: 'AGENT_NOT_ALLOWED' },
  });
});

test('an account cannot configure environments outside its restriction in a draft', async () => {
  const { id } = await account({ environment_ids: [server.environments.staging] });
  const { token } = await tokenOf(id);
  const on = { enabled: true, default_variation: 'off' };
  expect(await imported(token, draftIn('near', { staging: on }))).toMatchObject({ status: 'applied' });
  expect(await imported(token, draftIn('live', { production: on }))).toMatchObject({
    error: { code: 'INSUFFICIENT_PERMISSIONS' },
  });
});

test('an agent cannot touch scheduled changes of people, nor schedule what would be refused', async () => {
  const { id } = await account({ kind: 'agent' });
  const { token } = await tokenOf(id);
  const made = (await flag(server.tokens.admin, 'staging', 'checkout')).body.data;
  const plan = (by: string, changes: object[]) =>
    call(by, 'POST', `/flags/${made.id}/scheduled-changes`, {
      environment_id: server.environments.staging,
      execute_at: '2026-11-20T11:00:00Z',
      changes,
    });
  const everywhere = [{ op: 'update_variation', variation: 'on', name: 'Renamed' }];
  const planned = await plan(server.tokens.admin, everywhere);
  expect(planned.status).toBe(201);
  const url = `/scheduled-changes/${planned.body.data.id}`;
  for (const answer of [
    await call(token, 'DELETE', url),
    await call(token, 'PATCH', url, { execute_at: '2026-11-20T12:00:00Z' }),
    await plan(token, everywhere),
  ]) {
    expect(codeOf(answer)).toEqual([403, 'AGENT_NOT_ALLOWED']);
  }
  const own = await plan(token, [{ op: 'set_enabled', enabled: true }]);
  expect((await call(token, 'DELETE', `/scheduled-changes/${own.body.data.id}`)).status).toBe(204);
});

test('an agent cannot remove tags that a freeze of a critical environment may select', async () => {
  const { id } = await account({ kind: 'agent' });
  const { token } = await tokenOf(id);
  const made = await flag(server.tokens.admin, 'staging', 'tagged', { tags: ['payments'] });
  const url = `/flags/${made.body.data.id}?environment_id=${server.environments.staging}`;
  expect(codeOf(await call(token, 'PUT', url, { tags: [] }))).toEqual([403, 'AGENT_NOT_ALLOWED']);
  const tag = `/projects/${server.projectId}/tags/payments`;
  expect(codeOf(await call(token, 'DELETE', tag))).toEqual([403, 'AGENT_NOT_ALLOWED']);
});

test('a dry run shows an agent the refusal', async () => {
  const { id } = await account({ kind: 'agent' });
  const { token } = await tokenOf(id);
  const url = `/flags?environment_id=${server.environments.staging}&dry_run=true`;
  const { body } = await call(token, 'POST', url, booleanFlag('everywhere'));
  expect(body.data.plan[0].gate).toMatchObject({ allowed: false, code: 'AGENT_NOT_ALLOWED' });
});
