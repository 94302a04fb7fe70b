import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';
import { type AccountBody, type Accounts, createAccounts } from '../../../../test/service-account.ts';

const HOUR_MS = 60 * 60 * 1000;

let server: TestServer;
let accounts: Accounts;
/** Calls the API as the admin, in staging. */
let admin: Api;
let staging: string;
let production: string;

beforeEach(async () => {
  server = await startServer();
  ({ staging, production } = server.environments);
  admin = server.as('admin').in(staging);
  accounts = createAccounts(server);
});
afterEach(() => server.close());

/** Creates a segment; returns `OK` or the code of the refusal. */
const createSegment = (by: Api, key: string, projectId = server.projectId) =>
  codeOf(by.segments.create(projectId, { key, conditions: [] }));

test('accounts are created, read, updated and deleted, each with an audit entry', async () => {
  const { serviceAccounts } = admin;
  const created = await accounts.create({ description: 'ships the web shop' });
  const { id } = created;
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
  expect(await serviceAccounts.get(id)).toEqual(created);
  const updated = await serviceAccounts.update(id, { role: 'viewer', description: '' }).answer;
  expect(updated.body.data).toMatchObject({ role: 'viewer', description: '', revision: 2 });
  expect(updated.headers.etag).toBe('"2"');
  const [entry] = await admin.audit.list({ resource_id: id });
  expect(entry).toMatchObject({
    action: 'service_account.updated',
    resource: { type: 'service_account', key: 'deploys' },
    changes: { role: { from: 'editor', to: 'viewer' } },
  });
  const stale = serviceAccounts.update(id, { name: 'x' }, { ifMatch: 1 });
  expect(await codeOf(stale)).toBe('PRECONDITION_FAILED');
  const second = await accounts.create({ name: 'second' });
  expect((await serviceAccounts.list()).map((account) => account.id)).toEqual([id, second.id]);
  await serviceAccounts.delete(id);
  expect(await codeOf(serviceAccounts.get(id))).toBe('SERVICE_ACCOUNT_NOT_FOUND');
});

test('a token is shown once and stored as a hash', async () => {
  const { id } = await accounts.create();
  const create = () =>
    admin.serviceAccounts.createToken(id, { name: 'ci', scopes: ['read'] }, { idempotencyKey: 'once' });
  const { token, ...record } = await create();
  expect(token).toMatch(/^svc_[0-9A-Za-z]{38}$/);
  expect(record).toMatchObject({ id: expect.stringMatching(/^svt_/), scopes: ['read'], status: 'active' });
  expect(await create()).toEqual(record);
  expect(await admin.serviceAccounts.listTokens(id)).toEqual([record]);
  const stored = [
    await server.db.selectFrom('service_account_tokens').selectAll().execute(),
    await server.db.selectFrom('audit_entries').selectAll().execute(),
    await server.db.selectFrom('idempotency_keys').selectAll().execute(),
  ];
  expect(JSON.stringify(stored)).not.toContain(token!.slice(4));
});

test('an account is limited to its role and to the scopes of its token', async () => {
  const { id } = await accounts.create();
  const read = (await accounts.issueToken(id, ['read'])).api;
  const write = (await accounts.issueToken(id, ['flags:write'])).api;
  const full = (await accounts.issueToken(id, ['admin'])).api;
  expect(await codeOf(read.projects.list())).toBe('OK');
  expect(await createSegment(read, 'a')).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await createSegment(write, 'a')).toBe('OK');
  const createKey = (by: Api, environment: string) => codeOf(by.apiKeys.create(environment, { name: 'k' }));
  expect(await createKey(write, staging)).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await createKey(full, staging)).toBe('OK');
  expect(await createKey(full, production)).toBe('INSUFFICIENT_PERMISSIONS');
  // A lower role applies to existing tokens at once.
  await admin.serviceAccounts.update(id, { role: 'viewer' });
  expect(await createSegment(full, 'b')).toBe('INSUFFICIENT_PERMISSIONS');
});

test('a token with only the scope for code references can write code references', async () => {
  const { id } = await accounts.create();
  const { api } = await accounts.issueToken(id, ['code_references:write']);
  const body = { repository: 'r', branch: 'main', revision: '1', references: [] };
  expect(await codeOf(api.codeReferences.put(server.projectId, body))).toBe('OK');
  expect(await createSegment(api, 'a')).toBe('INSUFFICIENT_PERMISSIONS');
});

test('a role in a project ends with the project', async () => {
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const { id, api } = await accounts.start({
    role: 'viewer',
    project_roles: [{ project_id: other.id, role: 'editor' }],
  });
  expect(await createSegment(api, 'a')).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await createSegment(api, 'a', other.id)).toBe('OK');
  await admin.projects.archive(other.id, { confirm_key: 'other' });
  server.advance(40 * 24 * HOUR_MS);
  await server.app.runBackground();
  const later = (await enter(server, 'admin@example.com')).api;
  expect((await later.serviceAccounts.get(id)).project_roles).toEqual([]);
});

test('an account can be disabled after its projects and environments are deleted', async () => {
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const temporary = await admin.environments.create(server.projectId, {
    key: 'tmp',
    name: 'Tmp',
    type: 'staging',
  });
  const project_roles = [{ project_id: other.id, role: 'editor' as const }];
  const { id } = await accounts.create({ environment_ids: [temporary.id], project_roles });
  await admin.projects.archive(other.id, { confirm_key: 'other' });
  await admin.environments.delete(temporary.id, { confirm_key: 'tmp' });
  const { update } = admin.serviceAccounts;
  expect(await update(id, { disabled: true })).toMatchObject({ status: 'disabled' });
  expect(await codeOf(update(id, { project_roles }))).toBe('PROJECT_NOT_FOUND');
  expect(await codeOf(update(id, { environment_ids: [staging] }))).toBe('OK');
});

test('an account has at most one role per project, listed in any order', async () => {
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const roles = [server.projectId, other.id]
    .sort()
    .map((project_id) => ({ project_id, role: 'editor' as const }));
  const project_roles = [...roles].reverse();
  const created = await accounts.create({ role: 'viewer', project_roles });
  expect(created).toMatchObject({ project_roles: roles });
  const { update } = admin.serviceAccounts;
  const again = await update(created.id, { project_roles, role: 'viewer' });
  expect(again).toMatchObject({ revision: 1, project_roles: roles });
  expect((await admin.audit.list({ resource_id: created.id }))[0]!.action).toBe('service_account.created');
  const twice = update(created.id, { project_roles: [roles[0]!, { ...roles[0]!, role: 'admin' }] });
  expect((await refused(twice)).details.fields).toMatchObject([{ field: 'project_roles.1.project_id' }]);
});

test('an account has at most fifty tokens', async () => {
  const { id } = await accounts.create();
  for (let index = 0; index < 50; index++) await accounts.issueToken(id);
  expect(await refused(accounts.issueToken(id))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { maximum: 50 },
  });
});

test('the last use of an account is recorded to the minute', async () => {
  const { id, api } = await accounts.start();
  const useNow = async () => {
    await api.projects.list();
    return (await admin.serviceAccounts.get(id)).last_used_at;
  };
  await expect.poll(useNow).not.toBe(null);
  const first = await useNow();
  expect(await useNow()).toBe(first);
  server.advance(60_000);
  await expect.poll(useNow).not.toBe(first);
});

test('an Idempotency-Key does not replay the answer that another caller got', async () => {
  const { id } = await accounts.create();
  const { api } = await accounts.issueToken(id, ['read']);
  const create = (by: Api) =>
    codeOf(by.in(staging).flags.create(booleanFlag('once'), { idempotencyKey: 'shared' }));
  expect(await create(admin)).toBe('OK');
  expect(await create(admin)).toBe('OK');
  expect(await create(server.as('editor'))).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await create(api)).toBe('INSUFFICIENT_PERMISSIONS');
});

test('an account can change only its own environments until it becomes an admin', async () => {
  const { id, api } = await accounts.start({ environment_ids: [staging] });
  const flag = await admin.flags.create(booleanFlag('checkout'));
  const toggle = (environment: string) => codeOf(api.in(environment).flags.toggle(flag.id, true));
  expect(await toggle(staging)).toBe('OK');
  expect(await toggle(production)).toBe('INSUFFICIENT_PERMISSIONS');
  // The restriction stays lifted when the account becomes an editor again, as for a member.
  const { update } = admin.serviceAccounts;
  expect((await update(id, { role: 'admin' })).environment_ids).toBeNull();
  expect(await toggle(production)).toBe('OK');
  expect((await update(id, { role: 'editor' })).environment_ids).toBeNull();
});

test('operations that require a login refuse service accounts', async () => {
  const { id, api } = await accounts.start({ role: 'admin' });
  const { organizationId } = server;
  const viewer = await server.as('viewer').auth.me();
  const justification = 'a reason that is long enough';
  for (const call of [
    () => api.breakGlass.open({ scope: { environment_ids: [production] }, justification }),
    () => api.serviceAccounts.create({ name: 'another', role: 'admin' }),
    () => api.serviceAccounts.createToken(id, { name: 'another', scopes: ['admin'] }),
    () => api.serviceAccounts.update(id, { role: 'admin' }),
    () => api.personalTokens.create({ name: 'another', scopes: ['admin'] }),
    () => api.auth.logout(),
    () => api.invitations.create(organizationId, { email: 'x@example.com', role: 'admin' }),
    () => api.members.update(organizationId, viewer.id, { role: 'admin' }),
    () => api.organizations.update(organizationId, { settings: { require_mfa: false } }),
    () => api.sessions.list(),
  ]) {
    const { code, message } = await refused(call());
    expect([String(call), code]).toEqual([String(call), 'INSUFFICIENT_PERMISSIONS']);
    expect(message).toMatch(/access token of a login/);
  }
  expect(await codeOf(api.serviceAccounts.list())).toBe('OK');
});

test('an account cannot bypass a freeze window', async () => {
  const { api } = await accounts.start({ role: 'admin' });
  await admin.freezeWindows.create({ name: 'f', scope: {} });
  const create = (options = {}) => codeOf(api.flags.create(booleanFlag('frozen'), options));
  expect(await create()).toBe('FREEZE_WINDOW_ACTIVE');
  expect(await create({ justification: 'a reason that is long enough' })).toBe('INSUFFICIENT_PERMISSIONS');
});

test('an account appears by name in the audit log, and owns no flags', async () => {
  const { id } = await accounts.create();
  const { api, id: token_id } = await accounts.issueToken(id);
  const flag = await api.flags.create(booleanFlag('checkout'));
  expect(flag.owner_id).toBeNull();
  const actor = { id, email: null, name: 'deploys', kind: 'service_account' };
  const [created] = await admin.audit.list({ action: 'flag.created' });
  expect(created!.actor).toEqual({ ...actor, token_id });
  expect((await admin.flags.history(flag.id))[0]!.actor).toEqual(actor);
  expect((await admin.flags.listRevisions(flag.id))[0]!.actor).toEqual(actor);
  await admin.serviceAccounts.update(id, { name: 'renamed' });
  await admin.serviceAccounts.delete(id);
  const found = await admin.audit.list({ q: 'deploys', actor_kind: 'service_account' });
  expect(found.map(({ action }) => action)).toEqual(['flag.created']);
  const [byUser] = await admin.audit.list({ actor_kind: 'user' });
  expect(byUser!.actor).toMatchObject({ name: null, token_id: null });
});

test('GET /auth/me describes the account', async () => {
  const { id } = await accounts.create({ kind: 'agent' });
  const { api } = await accounts.issueToken(id, ['read']);
  expect(await api.auth.me()).toMatchObject({
    id,
    kind: 'agent',
    email: null,
    full_name: 'deploys',
    role: 'editor',
    last_login_at: null,
    organizations: [{ id: server.organizationId, role: 'editor', environment_ids: null, project_roles: [] }],
  });
  expect((await admin.auth.me()).kind).toBe('user');
});

test('a token stops working when it is revoked or expires, or its account is disabled or deleted', async () => {
  const { id } = await accounts.create();
  const { serviceAccounts } = admin;
  const first = await accounts.issueToken(id);
  const short = await accounts.issueToken(id, ['read'], { expires_at: '2026-11-20T12:00:00Z' });
  const last = await accounts.issueToken(id);
  const use = ({ api }: { api: Api }) => codeOf(api.projects.list());
  for (const token of [first, short, last]) expect(await use(token)).toBe('OK');
  await serviceAccounts.revokeToken(id, first.id);
  expect(await use(first)).toBe('INVALID_TOKEN');
  expect(await codeOf(serviceAccounts.revokeToken(id, first.id))).toBe('SERVICE_ACCOUNT_TOKEN_NOT_FOUND');
  server.advance(3 * HOUR_MS);
  expect(await use(short)).toBe('INVALID_TOKEN');
  await serviceAccounts.update(id, { disabled: true });
  expect(await use(last)).toBe('INVALID_TOKEN');
  expect((await serviceAccounts.update(id, { disabled: false })).status).toBe('active');
  expect(await use(last)).toBe('OK');
  await expect.poll(async () => (await serviceAccounts.get(id)).last_used_at).toMatch(/^2026-11-20T13:/);
  await serviceAccounts.delete(id);
  expect(await use(last)).toBe('INVALID_TOKEN');
  expect(await server.db.selectFrom('service_account_tokens').selectAll().execute()).toEqual([]);
});

test('an account outlives the user who created it', async () => {
  const { api } = await accounts.start();
  await server.db
    .updateTable('users')
    .set({ disabled_at: '2026-11-20T10:00:00.000Z' })
    .where('email', '=', 'admin@example.com')
    .execute();
  expect(await createSegment(api, 'a')).toBe('OK');
});

test('scheduled changes of an account execute with the rights that it has at that time', async () => {
  const { id, api } = await accounts.start();
  const flag = await admin.flags.create(booleanFlag('checkout'));
  const schedule = async (execute_at: string) => {
    const change = await api.scheduledChanges.create(flag.id, {
      environment_id: staging,
      execute_at,
      changes: [{ op: 'set_enabled', enabled: true }],
    });
    expect(change.created_by).toEqual({ id, email: null });
    return change.id;
  };
  const first = await schedule('2026-11-20T11:00:00Z');
  const second = await schedule('2026-11-20T12:00:00Z');
  const statusOf = async (changeId: string) => (await admin.scheduledChanges.get(changeId)).status;
  server.advance(1.5 * HOUR_MS);
  await server.app.runBackground();
  expect(await statusOf(first)).toBe('executed');
  const [entry] = await admin.audit.list({ action: 'flag.*', actor_id: id });
  expect(entry).toMatchObject({ via: 'schedule', actor: { id, kind: 'service_account' } });
  await admin.serviceAccounts.update(id, { disabled: true });
  server.advance(HOUR_MS);
  await server.app.runBackground();
  expect(await statusOf(second)).toBe('failed');
});

test.each([
  ['an admin restricted to environments', { role: 'admin', environment_ids: [] }, 'environment_ids'],
  ['an agent as admin', { kind: 'agent', role: 'admin' }, 'role'],
  ['an unknown kind', { kind: 'robot' }, 'kind'],
  ['an account without a name', { name: '' }, 'name'],
])('an account cannot be created as %s', async (_, more, field) => {
  const body = { name: 'x', role: 'viewer', ...more };
  const { code, details } = await refused(admin.unchecked.serviceAccounts.create(body));
  expect([code, details.fields[0].field]).toEqual(['VALIDATION_ERROR', field]);
});

test('unknown projects, unknown environments, and agents as admins of a project are refused', async () => {
  const { projectId } = server;
  const create = (more: Partial<AccountBody>) => codeOf(accounts.create({ role: 'viewer', ...more }));
  const inUnknown = { project_id: 'prj_x', role: 'editor' } as const;
  expect(await create({ project_roles: [inUnknown] })).toBe('PROJECT_NOT_FOUND');
  expect(await create({ environment_ids: ['env_x'] })).toBe('ENVIRONMENT_NOT_FOUND');
  const asAdmin = { project_id: projectId, role: 'admin' } as const;
  expect(await create({ kind: 'agent', project_roles: [asAdmin] })).toBe('VALIDATION_ERROR');
  const { id } = await accounts.create({ kind: 'agent' });
  expect(await codeOf(admin.serviceAccounts.update(id, { role: 'admin' }))).toBe('VALIDATION_ERROR');
});

test('an organization has at most a hundred service accounts', async () => {
  for (let index = 0; index < 100; index++) await accounts.create();
  expect(await refused(accounts.create())).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { limit: 'service_accounts', maximum: 100 },
  });
});

test('an account cannot change a suspended organization', async () => {
  const { api } = await accounts.start();
  await server.db.updateTable('organizations').set({ status: 'suspended' }).execute();
  expect(await createSegment(api, 'a')).toBe('ORGANIZATION_SUSPENDED');
});

test('a rotated token has the scopes of the old one, which ends after the grace period', async () => {
  const { serviceAccounts } = admin;
  const { id } = await accounts.create();
  const old = await serviceAccounts.createToken(id, { name: 'CI', scopes: ['flags:write'] });
  const works = (token: string | undefined) => codeOf(server.withToken(token!).auth.me());
  const next = await serviceAccounts.rotateToken(id, old.id, { grace_minutes: 60 });
  expect(next).toMatchObject({ name: 'CI', scopes: ['flags:write'], last_four: next.token!.slice(-4) });
  expect(next.token).not.toBe(old.token);
  expect([await works(old.token), await works(next.token)]).toEqual(['OK', 'OK']);
  server.advance(2 * HOUR_MS);
  expect([await works(old.token), await works(next.token)]).toEqual(['INVALID_TOKEN', 'OK']);
  const last = await serviceAccounts.rotateToken(id, next.id, { grace_minutes: 0 });
  expect([await works(next.token), await works(last.token)]).toEqual(['INVALID_TOKEN', 'OK']);
  const again = serviceAccounts.rotateToken(id, next.id);
  expect(await codeOf(again)).toBe('SERVICE_ACCOUNT_TOKEN_NOT_FOUND');
});
