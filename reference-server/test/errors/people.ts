import { totpCode, totpStep } from '../../src/control-plane/features/auth/mfa/totp.ts';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import type { RawAnswer } from '../api-call.ts';
import { booleanFlag, enter, PASSWORD, startEmptyServer } from '../server.ts';
import type { Provoke, World } from './world.ts';

const HOUR_MS = 3_600_000;
const REASON = 'Checkout is down; INC-4711 needs this change.';

const login = (world: World, password: string, email = 'admin@example.com') =>
  world.server.call({ method: 'POST', url: '/auth/login', body: { email, password } });
/** Opens a break-glass session for the environment that is never frozen. */
async function openSession(world: World) {
  await world.pass(0);
  const scope = { environment_ids: [world.environment] };
  return world.made('POST', '/break-glass', { scope, justification: REASON });
}
const members = ({ server }: World, path = '') => `/organizations/${server.organizationId}${path}`;

/** Starts a separate server with these options. Returns the answer of a call to it. */
async function onOtherServer(
  options: Parameters<typeof startEmptyServer>[0],
  act: (server: Awaited<ReturnType<typeof startEmptyServer>>) => Promise<RawAnswer>,
): Promise<RawAnswer> {
  const server = await startEmptyServer(options);
  try {
    return await act(server);
  } finally {
    await server.close();
  }
}

/** A user with a second factor. */
async function createUserWithMfa(world: World) {
  const email = `${world.fresh()}@example.com`;
  const { accessToken: token } = await enter(world.server, email);
  const { secret } = (await world.as(token, 'POST', '/auth/mfa/totp')).body.data;
  const body = { code: totpCode(secret, totpStep(await world.now())) };
  await world.as(token, 'POST', '/auth/mfa/totp/confirm', body);
  return { token, email };
}

/** How to provoke the errors of authentication, membership, limits and break-glass. */
export const people: Readonly<Record<string, Provoke>> = {
  async MFA_ENROLLMENT_REQUIRED({ server, as, made, fresh }) {
    const { accessToken } = await enter(server, `${fresh()}@example.com`);
    const url = `/organizations/${server.organizationId}`;
    const { settings_json } = await server.db
      .selectFrom('organizations')
      .selectAll()
      .executeTakeFirstOrThrow();
    const required = JSON.stringify({ ...JSON.parse(settings_json), require_mfa: true });
    await server.db.updateTable('organizations').set({ settings_json: required }).execute();
    const answer = await as(accessToken, 'GET', '/projects');
    await server.db.updateTable('organizations').set({ settings_json }).execute();
    await made('GET', url);
    return answer;
  },
  async ORGANIZATION_SUSPENDED({ server, call, fresh }) {
    const become = (status: string) => server.db.updateTable('organizations').set({ status }).execute();
    await become('suspended');
    const answer = await call('POST', '/projects', { key: fresh(), name: 'x' });
    await become('active');
    return answer;
  },
  async MFA_RESET_OWN(world) {
    const { id } = await world.made('GET', '/auth/me');
    return world.call('POST', members(world, `/members/${id}/reset-mfa`), {});
  },
  async AGENT_NOT_ALLOWED({ server, as, made, fresh }) {
    const { id } = await made('POST', '/service-accounts', { kind: 'agent', name: 'helper', role: 'editor' });
    const { token } = await made('POST', `/service-accounts/${id}/tokens`, { name: 'x', scopes: ['admin'] });
    const url = `/flags?environment_id=${server.environments.production}`;
    return as(token, 'POST', url, booleanFlag(fresh()));
  },
  UNAUTHENTICATED: ({ server }) => server.call({ url: '/projects' }),
  INVALID_CREDENTIALS: (world) => login(world, 'wrong password'),
  INVALID_TOKEN: ({ as }) => as('none', 'GET', '/projects'),
  async TOKEN_EXPIRED({ server, as, pass }) {
    const { accessToken } = await enter(server, 'expired@example.com');
    await pass(25 * HOUR_MS);
    return as(accessToken, 'GET', '/projects');
  },
  INVALID_REFRESH_TOKEN: ({ server }) =>
    server.call({ method: 'POST', url: '/auth/refresh', body: { refresh_token: 'rt_none' } }),
  INVALID_API_KEY: ({ server }) =>
    server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': 'sdk-dev-none' } }),
  INVALID_RESET_TOKEN: ({ call }) =>
    call('POST', '/auth/password/reset', { token: 'none', password: PASSWORD }),
  INVALID_INVITATION: ({ call }) =>
    call('POST', '/auth/invitations/accept', { token: 'none', password: PASSWORD }),
  async MFA_REQUIRED(world) {
    const { email } = await createUserWithMfa(world);
    return login(world, PASSWORD, email);
  },
  INVALID_MFA_TOKEN: ({ call }) =>
    call('POST', '/auth/mfa/verify', { mfa_token: 'mfa_none', code: '000000' }),
  async INVALID_MFA_CODE({ pass, made, call }) {
    await pass(0);
    await made('POST', '/auth/mfa/totp');
    const answer = await call('POST', '/auth/mfa/totp/confirm', { code: 'none' });
    await made('DELETE', '/auth/mfa/totp');
    return answer;
  },
  async MFA_ALREADY_ON(world) {
    const { token } = await createUserWithMfa(world);
    return world.as(token, 'POST', '/auth/mfa/totp');
  },
  MFA_NOT_STARTED: ({ pass, call }) =>
    pass(0).then(() => call('POST', '/auth/mfa/totp/confirm', { code: '000000' })),
  MFA_NOT_ON: ({ pass, call }) => pass(0).then(() => call('DELETE', '/auth/mfa/totp')),
  async INSUFFICIENT_PERMISSIONS({ server, as }) {
    const { accessToken } = await enter(server, 'viewer@example.com');
    return as(accessToken, 'POST', '/projects', { key: 'x', name: 'x' });
  },
  FEATURE_NOT_AVAILABLE: ({ call }) => call('POST', '/organizations', { name: 'x' }),
  REGISTRATION_CLOSED: () =>
    onOtherServer({ registration: 'closed' }, async (server) => {
      await enter(server, 'first@example.com');
      const body = { email: 'second@example.com', password: PASSWORD };
      return server.call({ method: 'POST', url: '/auth/register', body });
    }),
  async REAUTHENTICATION_REQUIRED({ server, as }) {
    const { accessToken } = await enter(server, 'slow@example.com');
    server.advance(HOUR_MS / 10);
    return as(accessToken, 'POST', '/auth/mfa/totp');
  },
  async ORIGIN_NOT_ALLOWED({ server, environment, made }) {
    const body = { name: 'k', kind: 'client', allowed_origins: ['https://app.example.com'] };
    const { key } = await made('POST', `/environments/${environment}/api-keys`, body);
    const headers = { 'x-api-key': key, origin: 'https://other.example.com' };
    return server.call({ url: '/sdk/ruleset', headers });
  },
  async IP_NOT_ALLOWED({ server, environment, made }) {
    const body = { name: 'k', allowed_ips: ['10.0.0.1'] };
    const { key } = await made('POST', `/environments/${environment}/api-keys`, body);
    return server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key } });
  },
  async KEY_KIND_NOT_ALLOWED({ server, environment, made }) {
    const { key } = await made('POST', `/environments/${environment}/api-keys`, { name: 'k' });
    return server.call({ url: '/relay/stream', headers: { 'x-api-key': key } });
  },
  EMAIL_ALREADY_EXISTS: ({ call }) =>
    call('POST', '/auth/register', { email: 'admin@example.com', password: PASSWORD }),
  PASSWORD_TOO_COMMON: () =>
    onOtherServer({ passwordBlocklist: true }, (server) =>
      server.call({
        method: 'POST',
        url: '/auth/register',
        body: { email: 'new@example.com', password: '12345678' },
      }),
    ),
  async EMAIL_DOMAIN_NOT_ALLOWED(world) {
    const only = (domains: string[]) =>
      world.made('PATCH', members(world), { settings: { allowed_email_domains: domains } });
    await only(['example.com']);
    const invitation = { email: 'x@elsewhere.example', role: 'viewer' };
    const answer = await world.call('POST', members(world, '/invitations'), invitation);
    await only([]);
    return answer;
  },
  MEMBER_EXISTS: (world) =>
    world.call('POST', members(world, '/invitations'), { email: 'viewer@example.com', role: 'viewer' }),
  LAST_ADMIN: () =>
    onOtherServer({}, async (server) => {
      const { id, accessToken: token } = await enter(server, 'only@example.com');
      const { body } = await server.call({ url: '/organizations', token });
      const url = `/organizations/${body.data[0].id}/members/${id}`;
      return server.call({ method: 'DELETE', url, token });
    }),
  RATE_LIMIT_EXCEEDED: () =>
    onOtherServer({ limiter: createRateLimiter({ limits: { auth: 1 } }) }, async (server) => {
      const attempt = { method: 'POST', url: '/auth/refresh', body: { refresh_token: 'x' } } as const;
      await server.call(attempt);
      return server.call(attempt);
    }),

  async BREAK_GLASS_EXPIRED({ frozen, call }) {
    const { toggle } = await frozen();
    return call('POST', toggle, { enabled: true }, { 'x-break-glass': 'bgl_none' });
  },
  async BREAK_GLASS_OUT_OF_SCOPE(world) {
    const { toggle } = await world.frozen();
    const { id } = await openSession(world);
    return world.call('POST', toggle, { enabled: true }, { 'x-break-glass': id });
  },
  JUSTIFICATION_REQUIRED: ({ call, environment }) =>
    call('POST', '/break-glass', { scope: { environment_ids: [environment] }, justification: 'short' }),
  SCOPE_EMPTY: ({ call }) => call('POST', '/break-glass', { scope: {}, justification: REASON }),
  async SELF_REVIEW(world) {
    const { id } = await openSession(world);
    await world.made('POST', `/break-glass/${id}/close`);
    return world.call('POST', `/break-glass/${id}/review`, { outcome: 'justified', note: 'x' });
  },
  async BREAK_GLASS_OPEN(world) {
    const { id } = await openSession(world);
    const review = { outcome: 'justified', note: 'x' };
    return world.as(await world.otherAdmin(), 'POST', `/break-glass/${id}/review`, review);
  },
  async BREAK_GLASS_REVIEWED(world) {
    const { id } = await openSession(world);
    await world.made('POST', `/break-glass/${id}/close`);
    const other = await world.otherAdmin();
    const again = () =>
      world.as(other, 'POST', `/break-glass/${id}/review`, { outcome: 'justified', note: 'x' });
    await again();
    return again();
  },
};
