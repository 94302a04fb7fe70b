import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, type RawAnswer } from '../../../test/api-call.ts';
import { type Access, ENDPOINTS } from '../../../test/endpoints/rows.ts';
import { createTargets, type Targets } from '../../../test/endpoints/targets.ts';
import { enter, startServer, type TestServer } from '../../../test/server.ts';
import { addTenant } from '../../../test/tenant.ts';
import { missingRoutes } from '../features/instance/capabilities.ts';
import { ROLE_TABLE, ROLES, type Role } from './roles.ts';
import type { RouteEntry } from './route-access.ts';

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
let targets: Targets;
/** Path and query parameters with existing ids of the first organization. */
let ids: Record<string, string>;

beforeAll(async () => {
  server = await startServer();
  const { development, staging } = server.environments;
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
  const admin = server.withToken(token);
  const createKey = (environment: string, kind: 'server' | 'client' = 'server') =>
    admin.apiKeys.create(environment, { name: 'key', kind });
  const key = await createKey(development);
  const revoked = await createKey(development);
  await admin.apiKeys.revoke(revoked.id);
  const withKey = (apiKey: string | undefined) => ({ headers: { 'x-api-key': apiKey! } });
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
    'SDK key of another environment': withKey((await createKey(staging)).key),
    'revoked key': withKey(revoked.key),
    'client key': withKey((await createKey(development, 'client')).key),
  };

  targets = await createTargets(server, admin);
  const [ownSession] = await admin.sessions.list();
  ids = { ...targets.ids, session_id: ownSession!.id } as typeof ids;
  table = server.app.routeTable.filter((route) => route.url.startsWith('/api/v1/'));
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
  // An open stream would never end; the invalid `last_version` makes the server refuse it after the access check.
  const named = { confirm_key: 'x', key: 'x', q: 'x', repository: 'x', branch: 'x' };
  const harmless = { ...query, ...named, last_version: 'x' };
  return `${path}?${new URLSearchParams(harmless)}`;
}

interface Attempt {
  readonly route: RouteEntry;
  readonly actor: ActorName;
  readonly values: Record<string, string>;
  readonly body: unknown;
}

function send({ route, actor, values, body }: Attempt) {
  const method = route.method as 'GET';
  const reads = method === 'GET' || (route.method as string) === 'DELETE';
  return server.call({
    method,
    url: urlOf(route, values),
    ...credentials[actor],
    ...(!reads && { body }),
  });
}

/** Permissions that machine tokens cannot have. */
const LOGIN_PERMISSIONS = [
  'session.own',
  'break_glass.use',
  'break_glass.review',
  'service_account.write',
  'organization.update',
  'member.write',
  'invitation.write',
];

test('service accounts may call every operation that users with the same role may call, unless it requires a login', async () => {
  for (const role of ROLES) {
    const token = await serviceTokenOf(role);
    for (const route of table.filter(({ operationId }) => operationId !== undefined)) {
      const who = accessOf(route);
      if (who === 'public' || who.endsWith('Key')) continue;
      const isAllowed = ROLES_OF[who as 'all'].includes(role) && !LOGIN_PERMISSIONS.includes(route.access!);
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : INVALID_BODY;
      const url = urlOf(route, { ...ids, ...UNKNOWN });
      const answer = await server.call({ method: route.method as 'GET', url, token, ...(body && { body }) });
      const [status, code] = outcomeOf(answer);
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
  const { serviceAccounts } = server.withToken(credentials.admin.token!);
  const { id } = await serviceAccounts.create({ name: role, role });
  return (await serviceAccounts.createToken(id, { name: 'x', scopes: ['admin'] })).token!;
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

const outcomeOf = ({ status, body }: RawAnswer): [number, string | undefined] => [status, body?.error?.code];
const accessOf = ({ operationId = '?' }: RouteEntry): Access => ENDPOINTS[operationId]!.access;

test('routes of other deployment modes are refused; all other routes have an operation id', async () => {
  const unnamed = table.filter((route) => route.operationId === undefined);
  const expected = missingRoutes('oss').map(({ method, path }) => `${method} /api/v1${path}`);
  expect(unnamed.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(expected.sort());
  for (const route of unnamed) {
    // Parameters that `ids` lacks name resources that do not exist.
    const names = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => [name!, 'x']);
    const filled = { ...Object.fromEntries(names), ...ids };
    for (const actor of ACTORS) {
      const expected = refusal('all', actor) ?? [403, 'FEATURE_NOT_AVAILABLE'];
      const answer = await send({ route, actor, values: filled, body: INVALID_BODY });
      expect([actor, ...outcomeOf(answer)]).toEqual([actor, ...expected]);
    }
  }
});

/** The refusal that an actor gets; undefined when access is granted. */
function refusal(who: Access, actor: ActorName): readonly [number, string] | undefined {
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

/** Operations that end the sessions which the tests of other operations need; they are tested last. */
const ENDS_SESSIONS = ['logout', 'revokeOtherSessions'];
const NAMES = Object.keys(ENDPOINTS).filter((name) => !ENDS_SESSIONS.includes(name));

test.each([...NAMES, 'revokeOtherSessions'])(
  'only the actors that endpoints/rows.ts names may call %s',
  async (name) => {
    const route = table.find((one) => one.operationId === name)!;
    const who = accessOf(route);
    for (const actor of ACTORS) {
      const answer = await send({ route, actor, values: { ...ids, ...UNKNOWN }, body: INVALID_BODY });
      const expected = refusal(who, actor);
      if (expected !== undefined) {
        expect([actor, ...outcomeOf(answer)]).toEqual([actor, ...expected]);
        continue;
      }
      expect(answer.status, `${actor} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
      const refusals = ['UNAUTHENTICATED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'INSUFFICIENT_PERMISSIONS'];
      expect(refusals, actor).not.toContain(answer.body?.error?.code);
    }
  },
);

test('a refusal names the required roles, or what is wrong with the credentials', async () => {
  const route = table.find((one) => one.operationId === 'updateProject')!;
  const update = (actor: ActorName) => send({ route, actor, values: ids, body: { name: 'x' } });
  expect((await update('editor')).body.error.details).toMatchObject({
    role: 'editor',
    required_roles: ['admin'],
  });
  expect((await update('none')).headers['www-authenticate']).toBe('Bearer');
  expect((await update('SDK key')).body.error.message).toMatch(/SDK API key/);
  const sdkKey = credentials['SDK key'].headers!['x-api-key']!;
  expect(await codeOf(server.withToken(sdkKey).projects.list())).toBe('INVALID_TOKEN');
  const basic = server.anonymous.projects.list({ headers: { authorization: 'Basic YTpi' } });
  expect(await codeOf(basic)).toBe('UNAUTHENTICATED');
});

test.each(NAMES.filter((name) => !['public', 'apiKey', 'relayKey'].includes(ENDPOINTS[name]!.access)))(
  "%s reveals nothing to another tenant's admin",
  async (name) => {
    const route = table.find((one) => one.operationId === name)!;
    const body = targets.samples[name] ?? INVALID_BODY;
    const count = () =>
      server.db
        .selectFrom('audit_entries')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('organization_id', '=', server.organizationId)
        .executeTakeFirstOrThrow();
    const before = await count();
    for (const actor of ['foreign admin', 'foreign viewer'] as const) {
      const answer = await send({ route, actor, values: ids, body });
      const namesId = /:\w+/.test(route.url);
      const text = JSON.stringify(answer.body ?? '');
      for (const id of Object.values(ids).filter((value) => value.includes('_')))
        expect(text).not.toContain(id);
      if (!namesId || (name === 'revokeSession' && answer.status === 404)) continue;
      const insufficient = actor === 'foreign viewer' && answer.status === 403;
      if (!insufficient)
        expect([name, ...outcomeOf(answer)]).toEqual([name, 404, expect.stringMatching(/_NOT_FOUND$/)]);
    }
    expect(await count()).toEqual(before);
  },
);

test('lists omit the resources of other tenants', async () => {
  const api = server.withToken(credentials['foreign admin'].token!);
  const owners = (await api.projects.list()).map((project) => project.organization_id);
  expect(owners).not.toContain(server.organizationId);
  expect((await api.organizations.list()).map(({ id }) => id)).toEqual(['org_OTHER']);
});

test('only admins can manage the keys of production environments', async () => {
  const { production } = server.environments;
  const admin = server.withToken(credentials.admin.token!);
  const { apiKeys } = server.withToken(credentials.editor.token!);
  const { id } = await admin.apiKeys.create(production, { name: 'k' });
  for (const call of [
    () => apiKeys.create(production, { name: 'k' }),
    () => apiKeys.list(production),
    () => apiKeys.revoke(id),
    () => apiKeys.update(id, { name: 'x' }),
  ]) {
    expect(await codeOf(call())).toBe('INSUFFICIENT_PERMISSIONS');
  }
});

test('admins have every permission', () => {
  for (const roles of Object.values<readonly Role[]>(ROLE_TABLE)) expect(roles).toContain('admin');
});

test('only authenticated users may call logout', async () => {
  const route = table.find((one) => one.operationId === 'logout')!;
  for (const actor of ACTORS) {
    const answer = await send({ route, actor, values: ids, body: {} });
    const expected = refusal('all', actor);
    if (expected === undefined) expect([actor, answer.status]).toEqual([actor, 204]);
    else expect([actor, ...outcomeOf(answer)]).toEqual([actor, ...expected]);
  }
});
