import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, booleanFlag, enter, startServer, type TestServer } from '../../../test/server.ts';
import { addTenant } from '../../../test/tenant.ts';
import { missingRoutes } from '../features/instance/capabilities.ts';
import { ROLE_TABLE, ROLES, type Role } from './roles.ts';
import type { RouteEntry } from './route-access.ts';

/**
 * Who may call a route: everyone, the holder of an SDK key or of a relay key, or a user with one of the roles. Every
 * route of `/api/v1` has one row.
 */
type Who = 'public' | 'apiKey' | 'relayKey' | 'all' | 'editors' | 'admins';
type Ids = Readonly<Record<string, string>>;
/** By operation id; with a valid body where the ids of another tenant are tried. */
const ROWS: Readonly<Record<string, readonly [Who, body?: unknown]>> = {
  register: ['public'],
  login: ['public'],
  refresh: ['public'],
  forgotPassword: ['public'],
  resetPassword: ['public'],
  acceptInvitation: ['public'],
  verifyMfa: ['public'],
  getMfa: ['all'],
  startTotp: ['all'],
  confirmTotp: ['all'],
  removeTotp: ['all'],
  renewRecoveryCodes: ['all'],
  getMe: ['all'],
  logout: ['all'],
  changePassword: ['all'],
  reauthenticate: ['all'],
  listSessions: ['all'],
  revokeSession: ['all'],
  revokeOtherSessions: ['all'],
  listPersonalTokens: ['all'],
  createPersonalToken: ['all'],
  revokePersonalToken: ['all'],
  listServiceAccounts: ['admins'],
  createServiceAccount: ['admins', { name: 'x', role: 'viewer' }],
  getServiceAccount: ['admins'],
  updateServiceAccount: ['admins', { name: 'x' }],
  deleteServiceAccount: ['admins'],
  listServiceAccountTokens: ['admins'],
  createServiceAccountToken: ['admins', { name: 'x', scopes: ['read'] }],
  revokeServiceAccountToken: ['admins'],
  listOrganizations: ['all'],
  createOrganization: ['all'],
  getOrganization: ['all'],
  updateOrganization: ['admins', { name: 'x' }],
  listMembers: ['all'],
  updateMember: ['admins', { role: 'viewer' }],
  removeMember: ['admins'],
  resetMemberMfa: ['admins', {}],
  setProjectRole: ['admins', { role: 'viewer' }],
  removeProjectRole: ['admins'],
  listInvitations: ['admins'],
  createInvitation: ['admins', { email: 'x@example.com', role: 'viewer' }],
  resendInvitation: ['admins'],
  revokeInvitation: ['admins'],
  listAuditLog: ['all'],
  getAuditEntry: ['all'],
  listFreezeWindows: ['all'],
  createFreezeWindow: ['admins', { name: 'x' }],
  getFreezeStatus: ['all'],
  getFreezeWindow: ['all'],
  updateFreezeWindow: ['admins', { name: 'x' }],
  cancelFreezeWindow: ['admins'],
  endFreezeWindow: ['admins', { comment: 'x' }],
  listBreakGlass: ['admins'],
  openBreakGlass: ['admins'],
  getBreakGlass: ['admins'],
  closeBreakGlass: ['admins'],
  reviewBreakGlass: ['admins', { outcome: 'justified', note: 'x' }],
  listScheduledChanges: ['all'],
  createScheduledChange: [
    'editors',
    ({ environment_id }: Ids) => ({
      environment_id,
      execute_at: '2027-01-01T00:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    }),
  ],
  getScheduledChange: ['all'],
  updateScheduledChange: ['editors', { comment: 'x' }],
  cancelScheduledChange: ['editors'],
  executeScheduledChange: ['editors', {}],
  getInstance: ['public'],
  getCapabilities: ['all'],
  listProjects: ['all'],
  createProject: ['editors'],
  getProject: ['all'],
  updateProject: ['admins', { name: 'x' }],
  archiveProject: ['admins'],
  restoreProject: ['admins'],
  listProjectEnvironments: ['all'],
  createEnvironment: ['editors', { key: 'x', name: 'x', type: 'staging' }],
  listEnvironments: ['all'],
  getEnvironment: ['all'],
  updateEnvironment: ['admins', { name: 'x' }],
  deleteEnvironment: ['admins'],
  listFlags: ['all'],
  createFlag: ['editors', booleanFlag('stolen')],
  getFlag: ['all'],
  updateFlag: ['editors', { name: 'x' }],
  archiveFlag: ['editors'],
  toggleFlag: ['editors', { enabled: true }],
  listFlagHistory: ['all'],
  patchFlag: ['editors', { instructions: [{ op: 'add_tag', tag: 'x' }] }],
  cloneFlag: ['editors', { key: 'x' }],
  getFlagByKey: ['all'],
  upsertFlag: ['editors', booleanFlag('stolen')],
  listFlagDependents: ['all'],
  getFlagMetrics: ['all'],
  listFlagEnvironments: ['all'],
  promoteFlag: ['editors', { source_environment_id: 'x', target_environment_ids: ['y'] }],
  previewFlag: ['all', { instructions: [{ op: 'add_tag', tag: 'x' }], contexts: [{}] }],
  changeFlags: ['editors', { action: 'archive', environment_id: 'x', flag_ids: ['y'] }],
  promoteEnvironment: ['editors', { target_environment_id: 'x' }],
  compareEnvironments: ['all'],
  cloneEnvironment: ['editors', { key: 'x', name: 'x' }],
  listFlagRevisions: ['all'],
  getFlagRevision: ['all'],
  diffFlagRevisions: ['all'],
  restoreFlagRevision: ['editors', {}],
  activateFlag: ['editors', {}],
  markFlagStale: ['editors', {}],
  unmarkFlagStale: ['editors', {}],
  restoreFlag: ['editors', {}],
  deleteFlag: ['admins'],
  listReservedKeys: ['all'],
  releaseReservedKey: ['admins'],
  getFlagHealth: ['all'],
  listSegments: ['all'],
  createSegment: ['editors', { key: 'x', conditions: [] }],
  getSegment: ['all'],
  updateSegment: ['editors', { name: 'x' }],
  deleteSegment: ['editors'],
  getSegmentUsage: ['all'],
  testSegment: ['all', { context: {} }],
  search: ['all'],
  listTags: ['all'],
  putCodeReferences: ['editors', { repository: 'r', branch: 'b', revision: '1', references: [] }],
  listCodeSnapshots: ['all'],
  removeCodeReferences: ['editors'],
  listFlagCodeReferences: ['all'],
  exportProject: ['all'],
  createImport: ['editors', { document: { apiVersion: 'flagsvc/v1', kind: 'Project' } }],
  getImport: ['all'],
  applyImport: ['editors', {}],
  renameTag: ['editors', { name: 'x' }],
  deleteTag: ['editors'],
  listApiKeys: ['editors'],
  createApiKey: ['editors', { name: 'x' }],
  updateApiKey: ['editors', { name: 'x' }],
  rotateApiKey: ['editors', {}],
  revokeApiKey: ['editors'],
  listWebhooks: ['admins'],
  createWebhook: ['admins'],
  getWebhook: ['admins'],
  updateWebhook: ['admins', { description: 'x' }],
  deleteWebhook: ['admins'],
  rotateWebhookSecret: ['admins', {}],
  enableWebhook: ['admins'],
  getWebhookPublicKey: ['admins'],
  testWebhook: ['admins'],
  listWebhookDeliveries: ['editors'],
  replayWebhook: ['admins', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }],
  getWebhookMessage: ['editors'],
  redeliverWebhookMessage: ['admins'],
  explainEvaluation: ['all'],
  evaluate: ['apiKey', { flags: ['*'], context: { user_key: 'u' } }],
  getRuleset: ['apiKey'],
  streamRuleset: ['apiKey'],
  streamRelay: ['relayKey'],
  sendEvents: ['apiKey', { events: [] }],
};

const ROLES_OF: Readonly<Record<'all' | 'editors' | 'admins', readonly Role[]>> = {
  all: ROLES,
  editors: ['admin', 'editor'],
  admins: ['admin'],
};

/** Every actor tries every route. */
const ACTORS = [
  'none',
  'expired',
  'foreign admin',
  'foreign viewer',
  'viewer',
  'editor',
  'admin',
  'disabled',
  'SDK key',
  'SDK key of another environment',
  'revoked key',
  'client key',
] as const;
type ActorName = (typeof ACTORS)[number];

let server: TestServer;
let credentials: Record<ActorName, { token?: string; headers?: Record<string, string> }>;
let table: readonly RouteEntry[];
/** Path and query parameters with existing ids of the first tenant. */
let ids: Record<string, string>;

beforeAll(async () => {
  server = await startServer();
  const { call, tokens, environments, projectId, organizationId } = server;
  const expired = (await enter(server, 'expired@example.com')).accessToken;
  const disabled = await enter(server, 'disabled@example.com');
  server.advance(25 * 60 * 60 * 1000);
  const fresh: Record<string, string> = {};
  for (const role of ROLES) fresh[role] = (await enter(server, `${role}@example.com`)).accessToken;
  const session = await enter(server, 'disabled@example.com');
  const disabled_at = '2026-11-20T10:00:00.000Z';
  await server.db.updateTable('users').set({ disabled_at }).where('id', '=', disabled.id).execute();
  const foreign = await addTenant(server);
  const viewer = await addForeignViewer();

  const token = fresh['admin']!;
  const { development, staging } = environments;
  const create = async (url: string, body: object) => {
    const answer = await call({ method: 'POST', url, token, body });
    expect([url, answer.status]).toEqual([url, 201]);
    return answer.body.data;
  };
  const keyOf = (environment: string, kind = 'server') =>
    create(`/environments/${environment}/api-keys`, { name: 'key', kind });
  const key = await keyOf(development);
  const revoked = await keyOf(development);
  await call({ method: 'DELETE', url: `/api-keys/${revoked.id}`, token });
  const withKey = (apiKey: string) => ({ headers: { 'x-api-key': apiKey } });
  credentials = {
    none: {},
    expired: { token: expired },
    'foreign admin': { token: foreign.token },
    'foreign viewer': { token: viewer },
    viewer: { token: fresh['viewer']! },
    editor: { token: fresh['editor']! },
    admin: { token },
    disabled: { token: session.accessToken },
    'SDK key': withKey(key.key),
    'SDK key of another environment': withKey((await keyOf(staging)).key),
    'revoked key': withKey(revoked.key),
    'client key': withKey((await keyOf(development, 'client')).key),
  };

  const flag = await create(`/flags?environment_id=${development}`, booleanFlag('guarded'));
  const segment = await create(`/projects/${projectId}/segments`, { key: 'staff', conditions: [] });
  const invited = { email: 'guest@example.com', role: 'viewer' };
  const invitation = await create(`/organizations/${organizationId}/invitations`, invited);
  const personal = await create('/auth/tokens', { name: 'script', scopes: ['read'] });
  const account = await create('/service-accounts', { name: 'deploys', role: 'editor' });
  const accountToken = { name: 'ci', scopes: ['read'] };
  const serviceToken = await create(`/service-accounts/${account.id}/tokens`, accountToken);
  const sessions = await call({ url: '/auth/sessions', token });
  const members = await call({ url: `/organizations/${organizationId}/members`, token });
  const window = await create('/freeze-windows', {
    name: 'later',
    starts_at: '2027-01-01T00:00:00Z',
    scope: { environment_ids: [staging] },
  });
  const glass = await create('/break-glass', {
    scope: { environment_ids: [staging] },
    justification: 'to try who may look at it',
  });
  const planned = await create(`/flags/${flag.id}/scheduled-changes`, {
    environment_id: development,
    execute_at: '2027-01-01T00:00:00Z',
    changes: [{ op: 'set_enabled', enabled: true }],
  });
  const log = await call({ url: '/audit-log?per_page=1&action=flag.created', token });
  const webhook = await create('/webhooks', { url: 'https://hooks.example.com/', events: ['*'] });
  const messageId = 'msg_guarded';
  await server.db
    .insertInto('webhook_messages')
    .values({
      organization_id: organizationId,
      webhook_id: webhook.id,
      id: messageId,
      type: 'ping',
      body: '{}',
      status: 'failed',
      attempts: 1,
      next_attempt_at: null,
      once: 1,
      created_at: '2026-11-20T10:00:00.000Z',
    })
    .execute();
  const importing = await create(`/projects/${projectId}/imports`, {
    document: { apiVersion: 'flagsvc/v1', kind: 'Project' },
  });
  ids = {
    freeze_window_id: window.id,
    break_glass_id: glass.id,
    scheduled_change_id: planned.id,
    audit_entry_id: log.body.data[0].id,
    organization_id: organizationId,
    project_id: projectId,
    environment_id: development,
    flag_id: flag.id,
    segment_id: segment.id,
    key_id: key.id,
    invitation_id: invitation.id,
    token_id: personal.id,
    service_account_id: account.id,
    service_token_id: serviceToken.id,
    session_id: sessions.body.data[0].id,
    user_id: members.body.data[1].id,
    webhook_id: webhook.id,
    message_id: messageId,
    import_id: importing.id,
    key: 'guarded',
    tag: 'guarded',
    revision: '4711',
    other: '4712',
  };
  table = server.app.routeTable.filter((route) => route.url.startsWith('/api/v1/'));
  expect(tokens.admin).not.toBe(token);
});
afterAll(() => server.close());

async function addForeignViewer(): Promise<string> {
  const email = 'viewer@other.example';
  const { id } = await enter(server, email);
  await server.db
    .updateTable('memberships')
    .set({ organization_id: 'org_OTHER' })
    .where('user_id', '=', id)
    .execute();
  return (await enter(server, email)).accessToken;
}

/** The path with its parameters filled in; throws when one has no value. */
function urlOf({ url }: RouteEntry, values: Record<string, string>): string {
  const path = url.slice('/api/v1'.length).replace(/:(\w+)/g, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`ids has no ${name}, which ${url} needs`);
    return values[name];
  });
  const { environment_id, project_id } = values;
  const query = {
    environment_id: environment_id!,
    project_id: project_id!,
    source: environment_id!,
    target: environment_id!,
  };
  // An opened stream would never end; an invalid `last_version` is refused after the access check.
  const named = { confirm_key: 'x', key: 'x', q: 'x', repository: 'x', branch: 'x' };
  const harmless = { ...query, ...named, last_version: 'x' };
  return `${path}?${new URLSearchParams(harmless)}`;
}

function send(route: RouteEntry, actor: ActorName, values: Record<string, string>, body: unknown) {
  const method = route.method as 'GET';
  const reads = method === 'GET' || (route.method as string) === 'DELETE';
  return server.call({
    method,
    url: urlOf(route, values),
    ...credentials[actor],
    ...(!reads && { body }),
  });
}

/** Permissions that require a login. */
const LOGIN_PERMISSIONS = [
  'session.own',
  'break_glass.use',
  'break_glass.review',
  'service_account.write',
  'organization.update',
  'member.write',
  'invitation.write',
];

test('service accounts may call what users of their role may, except what requires a login', async () => {
  for (const role of ROLES) {
    const token = await serviceTokenOf(role);
    for (const route of table.filter(({ operationId }) => operationId !== undefined)) {
      const [who] = rowOf(route);
      if (who === 'public' || who.endsWith('Key')) continue;
      const isAllowed = ROLES_OF[who as 'all'].includes(role) && !LOGIN_PERMISSIONS.includes(route.access!);
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : INVALID_BODY;
      const url = urlOf(route, { ...ids, ...UNKNOWN });
      const answer = await server.call({ method: route.method as 'GET', url, token, ...(body && { body }) });
      const [status, code] = codeOf(answer);
      expect([role, route.url, code === 'INSUFFICIENT_PERMISSIONS'], code).toEqual([
        role,
        route.url,
        !isAllowed,
      ]);
      expect(status).not.toBe(401);
      expect(status).toBeLessThan(500);
    }
  }
});

async function serviceTokenOf(role: Role): Promise<string> {
  const post = (url: string, body: object) =>
    server.call({ method: 'POST', url, token: credentials.admin.token!, body });
  const account = await post('/service-accounts', { name: role, role });
  const tokens = `/service-accounts/${account.body.data.id}/tokens`;
  return (await post(tokens, { name: 'x', scopes: ['admin'] })).body.data.token;
}

/** A body that every route refuses as invalid, so that no call changes anything. */
const INVALID_BODY = {
  enabled: 1,
  key: 1,
  name: 1,
  email: 1,
  role: 1,
  token: 1,
  refresh_token: 1,
  password: 1,
};
const UNKNOWN = Object.fromEntries(
  [
    'flag_id',
    'segment_id',
    'key_id',
    'invitation_id',
    'token_id',
    'service_account_id',
    'service_token_id',
    'session_id',
    'user_id',
    'freeze_window_id',
    'break_glass_id',
    'scheduled_change_id',
    'webhook_id',
    'message_id',
  ].map((name) => [name, 'unknown']),
);

const codeOf = ({ status, body }: Answer): [number, string | undefined] => [status, body?.error?.code];
const rowOf = ({ operationId = '?' }: RouteEntry) => ROWS[operationId]!;

test('every route has one row, and every row has one route', () => {
  const known = table.flatMap((route) => route.operationId ?? []);
  expect(known.sort()).toEqual(Object.keys(ROWS).sort());
});

test('refuses the routes of other modes; all other routes have an operation id', async () => {
  const unnamed = table.filter((route) => route.operationId === undefined);
  const expected = missingRoutes('oss').map(({ method, path }) => `${method} /api/v1${path}`);
  expect(unnamed.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(expected.sort());
  for (const route of unnamed) {
    // Other parameters name resources that do not exist.
    const names = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => [name!, 'x']);
    const filled = { ...Object.fromEntries(names), ...ids };
    for (const actor of ACTORS) {
      const refused = refusal('all', actor) ?? [403, 'FEATURE_NOT_AVAILABLE'];
      expect([actor, ...codeOf(await send(route, actor, filled, INVALID_BODY))]).toEqual([actor, ...refused]);
    }
  }
});

/** The refusal that an actor gets; undefined when access is granted. */
function refusal(who: Who, actor: ActorName): readonly [number, string] | undefined {
  if (who === 'public') return undefined;
  const hasKey = actor.includes('key');
  if (who === 'apiKey' || who === 'relayKey') {
    if (actor === 'revoked key') return [401, 'INVALID_API_KEY'];
    if (!hasKey) return [401, 'UNAUTHENTICATED'];
    return who === 'relayKey' ? [403, 'KEY_KIND_NOT_ALLOWED'] : undefined;
  }
  if (actor === 'none' || hasKey) return [401, 'UNAUTHENTICATED'];
  if (actor === 'expired') return [401, 'TOKEN_EXPIRED'];
  if (actor === 'disabled') return [401, 'INVALID_TOKEN'];
  const role = actor.replace('foreign ', '') as Role;
  return ROLES_OF[who].includes(role) ? undefined : [403, 'INSUFFICIENT_PERMISSIONS'];
}

/** These end the session that the other rows need, so they run last. */
const ENDS_SESSIONS = ['logout', 'revokeOtherSessions'];
const NAMES = Object.keys(ROWS).filter((name) => !ENDS_SESSIONS.includes(name));

test.each([...NAMES, 'revokeOtherSessions'])('only the actors of its row may call %s', async (name) => {
  const route = table.find((one) => one.operationId === name)!;
  const [who] = rowOf(route);
  for (const actor of ACTORS) {
    const answer = await send(route, actor, { ...ids, ...UNKNOWN }, INVALID_BODY);
    const expected = refusal(who, actor);
    if (expected !== undefined) {
      expect([actor, ...codeOf(answer)]).toEqual([actor, ...expected]);
      continue;
    }
    expect(answer.status, `${actor} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    const refused = ['UNAUTHENTICATED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'INSUFFICIENT_PERMISSIONS'];
    expect(answer.body?.error?.code ?? '', actor).not.toMatch(new RegExp(`^(${refused.join('|')})$`));
  }
});

test('a refusal names the required roles, or what is wrong with the credentials', async () => {
  const route = table.find((one) => one.operationId === 'updateProject')!;
  const refused = await send(route, 'editor', ids, { name: 'x' });
  expect(refused.body.error.details).toMatchObject({ role: 'editor', required_roles: ['admin'] });
  expect((await send(route, 'none', ids, {})).headers['www-authenticate']).toBe('Bearer');
  expect((await send(route, 'SDK key', ids, {})).body.error.message).toMatch(/SDK API key/);
  const keyAsToken = await server.call({
    url: '/projects',
    token: credentials['SDK key'].headers!['x-api-key']!,
  });
  expect(codeOf(keyAsToken)).toEqual([401, 'INVALID_TOKEN']);
  const basic = await server.call({ url: '/projects', headers: { authorization: 'Basic YTpi' } });
  expect(codeOf(basic)).toEqual([401, 'UNAUTHENTICATED']);
});

test.each(NAMES.filter((name) => !['public', 'apiKey', 'relayKey'].includes(ROWS[name]![0])))(
  "%s reveals nothing to another tenant's admin",
  async (name) => {
    const route = table.find((one) => one.operationId === name)!;
    const [, sample] = rowOf(route);
    const body = typeof sample === 'function' ? sample(ids) : sample;
    const count = () =>
      server.db
        .selectFrom('audit_entries')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('organization_id', '=', server.organizationId)
        .executeTakeFirstOrThrow();
    const before = await count();
    for (const actor of ['foreign admin', 'foreign viewer'] as const) {
      const answer = await send(route, actor, ids, body ?? INVALID_BODY);
      const namesId = /:\w+/.test(route.url);
      const text = JSON.stringify(answer.body ?? '');
      for (const id of Object.values(ids).filter((value) => value !== 'guarded'))
        expect(text).not.toContain(id);
      if (!namesId || (name === 'revokeSession' && answer.status === 404)) continue;
      const insufficient = actor === 'foreign viewer' && answer.status === 403;
      if (!insufficient)
        expect([name, ...codeOf(answer)]).toEqual([name, 404, expect.stringMatching(/_NOT_FOUND$/)]);
    }
    expect(await count()).toEqual(before);
  },
);

test('lists omit other tenants', async () => {
  const token = credentials['foreign admin'].token!;
  const projects = await server.call({ url: '/projects', token });
  expect(projects.body).toEqual({ data: [], meta: { page: 1, per_page: 50, total: 0 } });
  const organizations = await server.call({ url: '/organizations', token });
  expect(organizations.body.data.map((one: { id: string }) => one.id)).toEqual(['org_OTHER']);
});

test('only admins manage the keys of production environments', async () => {
  const url = `/environments/${server.environments.production}/api-keys`;
  const admin = credentials.admin.token!;
  const editor = credentials.editor.token!;
  const create = (token: string) => server.call({ method: 'POST', url, token, body: { name: 'k' } });
  expect(codeOf(await create(editor))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  expect((await server.call({ url, token: editor })).status).toBe(403);
  const { body } = await create(admin);
  const one = { url: `/api-keys/${body.data.id}`, token: editor };
  expect((await server.call({ ...one, method: 'DELETE' })).status).toBe(403);
  expect((await server.call({ ...one, method: 'PATCH', body: { name: 'x' } })).status).toBe(403);
});

test('admins have every permission', () => {
  for (const roles of Object.values<readonly Role[]>(ROLE_TABLE)) expect(roles).toContain('admin');
});

test('only authenticated users may call logout', async () => {
  const route = table.find((one) => one.operationId === 'logout')!;
  for (const actor of ACTORS) {
    const answer = await send(route, actor, ids, {});
    const expected = refusal('all', actor);
    if (expected === undefined) expect([actor, answer.status]).toEqual([actor, 204]);
    else expect([actor, ...codeOf(answer)]).toEqual([actor, ...expected]);
  }
});
