import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';
import type { Scope } from '../../access/scopes.ts';

type Account = Body<'POST /service-accounts'>;

let server: TestServer;
/** In staging. */
let admin: Api;
/** Ids of environments. */
let staging: string;
let production: string;

beforeEach(async () => {
  server = await startServer();
  ({ staging, production } = server.environments);
  admin = server.as('admin').in(staging);
});
afterEach(() => server.close());

const HOUR_MS = 60 * 60 * 1000;

const createAccount = (more: Partial<Account> = {}) =>
  admin.serviceAccounts.create({ name: 'deploys', role: 'editor', ...more });

/** A new token of an account, with a client in staging. */
async function issueToken(accountId: string, scopes: readonly Scope[] = ['admin'], more: object = {}) {
  const body = { name: 'ci', scopes, ...more };
  const { id, token } = await admin.serviceAccounts.createToken(accountId, body);
  return { id, api: server.withToken(token!).in(staging) };
}

/** A new account with a client of all scopes, in staging. */
async function start(more: Partial<Account> = {}) {
  const { id } = await createAccount(more);
  return { id, api: (await issueToken(id)).api };
}

const createSegment = (by: Api, key: string, projectId = server.projectId) =>
  codeOf(by.segments.create(projectId, { key, conditions: [] }));

test('creates, reads, updates and deletes accounts, each with an audit entry', async () => {
  const { serviceAccounts } = admin;
  const created = await createAccount({ description: 'ships the web shop' });
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
  const second = await createAccount({ name: 'second' });
  expect((await serviceAccounts.list()).map((account) => account.id)).toEqual([id, second.id]);
  await serviceAccounts.delete(id);
  expect(await codeOf(serviceAccounts.get(id))).toBe('SERVICE_ACCOUNT_NOT_FOUND');
});

test('shows a token once, and stores it as a hash', async () => {
  const { id } = await createAccount();
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

test('limits an account to its role and to the scopes of its token', async () => {
  const { id } = await createAccount();
  const read = (await issueToken(id, ['read'])).api;
  const write = (await issueToken(id, ['flags:write'])).api;
  const full = (await issueToken(id, ['admin'])).api;
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

test('writes code references with the scope for them', async () => {
  const { id } = await createAccount();
  const { api } = await issueToken(id, ['code_references:write']);
  const body = { repository: 'r', branch: 'main', revision: '1', references: [] };
  expect(await codeOf(api.codeReferences.put(server.projectId, body))).toBe('OK');
  expect(await createSegment(api, 'a')).toBe('INSUFFICIENT_PERMISSIONS');
});

test('has roles in single projects, which end with the project', async () => {
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const { id, api } = await start({
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

test('can be disabled when its projects and environments are gone', async () => {
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const temporary = await admin.environments.create(server.projectId, {
    key: 'tmp',
    name: 'Tmp',
    type: 'staging',
  });
  const project_roles = [{ project_id: other.id, role: 'editor' as const }];
  const { id } = await createAccount({ environment_ids: [temporary.id], project_roles });
  await admin.projects.archive(other.id, { confirm_key: 'other' });
  await admin.environments.delete(temporary.id, { confirm_key: 'tmp' });
  const { update } = admin.serviceAccounts;
  expect(await update(id, { disabled: true })).toMatchObject({ status: 'disabled' });
  expect(await codeOf(update(id, { project_roles }))).toBe('PROJECT_NOT_FOUND');
  expect(await codeOf(update(id, { environment_ids: [staging] }))).toBe('OK');
});

test('has one role per project, in any order', async () => {
  const other = await admin.projects.create({ key: 'other', name: 'Other' });
  const roles = [server.projectId, other.id]
    .sort()
    .map((project_id) => ({ project_id, role: 'editor' as const }));
  const project_roles = [...roles].reverse();
  const created = await createAccount({ role: 'viewer', project_roles });
  expect(created).toMatchObject({ project_roles: roles });
  const { update } = admin.serviceAccounts;
  const again = await update(created.id, { project_roles, role: 'viewer' });
  expect(again).toMatchObject({ revision: 1, project_roles: roles });
  expect((await admin.audit.list({ resource_id: created.id }))[0]!.action).toBe('service_account.created');
  const twice = update(created.id, { project_roles: [roles[0]!, { ...roles[0]!, role: 'admin' }] });
  expect((await refused(twice)).details.fields).toMatchObject([{ field: 'project_roles.1.project_id' }]);
});

test('has at most fifty tokens', async () => {
  const { id } = await createAccount();
  for (let index = 0; index < 50; index++) await issueToken(id);
  expect(await refused(issueToken(id))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { maximum: 50 },
  });
});

test('records its last use to the minute', async () => {
  const { id, api } = await start();
  const useNow = async () => {
    await api.projects.list();
    return (await admin.serviceAccounts.get(id)).last_used_at;
  };
  const first = await useNow();
  expect(await useNow()).toBe(first);
  server.advance(60_000);
  expect(await useNow()).not.toBe(first);
});

test('gets no answer that another caller got for the same Idempotency-Key', async () => {
  const { id } = await createAccount();
  const { api } = await issueToken(id, ['read']);
  const create = (by: Api) =>
    codeOf(by.in(staging).flags.create(booleanFlag('once'), { idempotencyKey: 'shared' }));
  expect(await create(admin)).toBe('OK');
  expect(await create(admin)).toBe('OK');
  expect(await create(server.as('editor'))).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await create(api)).toBe('INSUFFICIENT_PERMISSIONS');
});

test('changes only its environments, until it becomes admin', async () => {
  const { id, api } = await start({ environment_ids: [staging] });
  const flag = await admin.flags.create(booleanFlag('checkout'));
  const toggle = (environment: string) => codeOf(api.in(environment).flags.toggle(flag.id, true));
  expect(await toggle(staging)).toBe('OK');
  expect(await toggle(production)).toBe('INSUFFICIENT_PERMISSIONS');
  // The restriction stays lifted after it is editor again, as for a member.
  const { update } = admin.serviceAccounts;
  expect((await update(id, { role: 'admin' })).environment_ids).toBeNull();
  expect(await toggle(production)).toBe('OK');
  expect((await update(id, { role: 'editor' })).environment_ids).toBeNull();
});

test('is refused operations that require a login', async () => {
  const { id, api } = await start({ role: 'admin' });
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

test('cannot break a freeze', async () => {
  const { api } = await start({ role: 'admin' });
  await admin.freezeWindows.create({ name: 'f', scope: {} });
  const create = (options = {}) => codeOf(api.flags.create(booleanFlag('frozen'), options));
  expect(await create()).toBe('FREEZE_WINDOW_ACTIVE');
  expect(await create({ justification: 'a reason that is long enough' })).toBe('INSUFFICIENT_PERMISSIONS');
});

test('appears by name in the audit log, and owns no flags', async () => {
  const { id } = await createAccount();
  const { api, id: token_id } = await issueToken(id);
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

test('reads who it is', async () => {
  const { id } = await createAccount({ kind: 'agent' });
  const { api } = await issueToken(id, ['read']);
  expect(await api.auth.me()).toMatchObject({
    id,
    kind: 'agent',
    email: null,
    full_name: 'deploys',
    role: 'editor',
    last_login_at: null,
    organizations: [{ id: server.organizationId, role: 'editor' }],
  });
  expect((await admin.auth.me()).kind).toBe('user');
});

test('is refused when its token is revoked or expired, or the account disabled or deleted', async () => {
  const { id } = await createAccount();
  const { serviceAccounts } = admin;
  const first = await issueToken(id);
  const short = await issueToken(id, ['read'], { expires_at: '2026-11-20T12:00:00Z' });
  const last = await issueToken(id);
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
  expect((await serviceAccounts.get(id)).last_used_at).toMatch(/^2026-11-20T13:/);
  await serviceAccounts.delete(id);
  expect(await use(last)).toBe('INVALID_TOKEN');
  expect(await server.db.selectFrom('service_account_tokens').selectAll().execute()).toEqual([]);
});

test('outlives the user who created it', async () => {
  const { api } = await start();
  await server.db
    .updateTable('users')
    .set({ disabled_at: '2026-11-20T10:00:00.000Z' })
    .where('email', '=', 'admin@example.com')
    .execute();
  expect(await createSegment(api, 'a')).toBe('OK');
});

test('executes scheduled changes with the rights that it has by then', async () => {
  const { id, api } = await start();
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
  ['no name', { name: '' }, 'name'],
])('refuses %s', async (_, more, field) => {
  const body = { name: 'x', role: 'viewer', ...more };
  const { code, details } = await refused(admin.unchecked.serviceAccounts.create(body));
  expect([code, details.fields[0].field]).toEqual(['VALIDATION_ERROR', field]);
});

test('refuses unknown projects and environments, and an agent as admin of a project', async () => {
  const { projectId } = server;
  const create = (more: Partial<Account>) => codeOf(createAccount({ role: 'viewer', ...more }));
  const inUnknown = { project_id: 'prj_x', role: 'editor' } as const;
  expect(await create({ project_roles: [inUnknown] })).toBe('PROJECT_NOT_FOUND');
  expect(await create({ environment_ids: ['env_x'] })).toBe('ENVIRONMENT_NOT_FOUND');
  const asAdmin = { project_id: projectId, role: 'admin' } as const;
  expect(await create({ kind: 'agent', project_roles: [asAdmin] })).toBe('VALIDATION_ERROR');
  const { id } = await createAccount({ kind: 'agent' });
  expect(await codeOf(admin.serviceAccounts.update(id, { role: 'admin' }))).toBe('VALIDATION_ERROR');
});

test('allows at most a hundred accounts', async () => {
  for (let index = 0; index < 100; index++) await createAccount();
  expect(await refused(createAccount())).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { limit: 'service_accounts', maximum: 100 },
  });
});

test('changes nothing in a suspended organization', async () => {
  const { api } = await start();
  await server.db.updateTable('organizations').set({ status: 'suspended' }).execute();
  expect(await createSegment(api, 'a')).toBe('ORGANIZATION_SUSPENDED');
});

test('changes nothing that a critical environment serves, as an agent', async () => {
  const { api } = await start({ kind: 'agent' });
  const live = api.in(production);
  const { id } = await admin.flags.create(booleanFlag('checkout'));
  const schedule = (environment_id: string) =>
    api.scheduledChanges.create(id, {
      environment_id,
      execute_at: '2026-11-20T11:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    });
  expect(await codeOf(api.flags.toggle(id, true))).toBe('OK');
  expect(await codeOf(schedule(staging))).toBe('OK');
  expect(await refused(live.flags.toggle(id, true))).toMatchObject({
    code: 'AGENT_NOT_ALLOWED',
    details: { environment_id: production },
  });
  expect(await codeOf(schedule(production))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(live.flags.archive(id))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(api.flags.create(booleanFlag('everywhere')))).toBe('AGENT_NOT_ALLOWED');
  // A draft is served nowhere until a person activates it.
  const draft = await api.flags.create(booleanFlag('prepared', { draft: true }));
  expect(await codeOf(api.flags.activate(draft.id))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(admin.flags.activate(draft.id))).toBe('OK');
  // Admins decide which environments are critical.
  await admin.environments.update(production, { critical: false });
  expect(await codeOf(live.flags.toggle(id, true))).toBe('OK');
});

/** Imports a draft with values for environments; answers `applied`, or the code of a refusal. */
async function importDraft(by: Api, key: string, environments: object): Promise<string> {
  const flags = [{ ...booleanFlag(key), status: 'draft', environments }];
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags };
  const planned = await by.imports.create(server.projectId, { document });
  const applied = by.imports.apply(planned.id, {}, { headers: { prefer: 'wait=10' } });
  const code = await codeOf(applied);
  if (code !== 'OK') return code;
  const { status, error } = await applied;
  return error?.code ?? status;
}

test('prepares in drafts nothing that a critical environment would serve, as an agent', async () => {
  const { api } = await start({ kind: 'agent' });
  const on = { enabled: true, default_variation: 'on' };
  expect(await importDraft(api, 'plain', {})).toBe('applied');
  expect(await importDraft(api, 'near', { staging: on })).toBe('AGENT_NOT_ALLOWED');
  expect(await importDraft(api, 'live', { production: on })).toBe('AGENT_NOT_ALLOWED');
});

test('prepares in drafts nothing for environments that it may not change', async () => {
  const { api } = await start({ environment_ids: [staging] });
  const on = { enabled: true, default_variation: 'off' };
  expect(await importDraft(api, 'near', { staging: on })).toBe('applied');
  expect(await importDraft(api, 'live', { production: on })).toBe('INSUFFICIENT_PERMISSIONS');
});

test('cannot change what users scheduled, or schedule what it may not do, as an agent', async () => {
  const { api } = await start({ kind: 'agent' });
  const { id } = await admin.flags.create(booleanFlag('checkout'));
  const schedule = (by: Api, changes: Body<'POST /flags/{flag_id}/scheduled-changes'>['changes']) =>
    by.scheduledChanges.create(id, {
      environment_id: staging,
      execute_at: '2026-11-20T11:00:00Z',
      changes,
    });
  const everywhere = [{ op: 'update_variation' as const, variation: 'on', name: 'Renamed' }];
  const planned = await schedule(admin, everywhere);
  const execute_at = '2026-11-20T12:00:00Z';
  expect(await codeOf(api.scheduledChanges.cancel(planned.id))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(api.scheduledChanges.update(planned.id, { execute_at }))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(schedule(api, everywhere))).toBe('AGENT_NOT_ALLOWED');
  const own = await schedule(api, [{ op: 'set_enabled', enabled: true }]);
  expect(await codeOf(api.scheduledChanges.cancel(own.id))).toBe('OK');
});

test('removes no tags by which a freeze window could select flags, as an agent', async () => {
  const { api } = await start({ kind: 'agent' });
  const { id } = await admin.flags.create(booleanFlag('tagged', { tags: ['payments'] }));
  expect(await codeOf(api.flags.update(id, { tags: [] }))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(api.projects.deleteTag(server.projectId, 'payments'))).toBe('AGENT_NOT_ALLOWED');
});

test('learns from a dry run that it may not, as an agent', async () => {
  const { api } = await start({ kind: 'agent' });
  const { plan } = await api.dryRun.flags.create(booleanFlag('everywhere'));
  expect(plan[0]!.gate).toMatchObject({ allowed: false, code: 'AGENT_NOT_ALLOWED' });
});
