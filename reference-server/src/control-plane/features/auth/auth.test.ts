import { afterEach, expect, test } from 'vitest';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { enter, PASSWORD, startEmptyServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startEmptyServer>[0] = {}) {
  const server = await startEmptyServer(options);
  servers.push(server);
  return { ...server, ...server.anonymous.auth };
}

test('a registration returns the fields of the specification', async () => {
  const { register } = await start();
  const user = { email: 'Ada@Example.com', password: PASSWORD, full_name: 'Ada Lovelace' };
  const { status, body } = await register(user).answer;
  expect(status).toBe(201);
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(/^usr_[0-9A-Z]{26}$/),
      email: 'Ada@Example.com',
      full_name: 'Ada Lovelace',
      role: 'admin',
      created_at: '2026-11-20T10:00:00.001Z',
    },
  });
});

test('the first user becomes admin, and later ones viewers', async () => {
  const server = await start();
  expect((await enter(server, 'first@example.com')).role).toBe('admin');
  expect((await enter(server, 'second@example.com')).role).toBe('viewer');
});

test('only one of several users who register first at the same time becomes admin', async () => {
  const { register } = await start();
  const users = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      register({ email: `user${index}@example.com`, password: PASSWORD }),
    ),
  );
  const roles = users.map(({ role }) => role).sort();
  expect(roles).toEqual(['admin', ...Array(7).fill('viewer')]);
});

test('a registered email is refused whether in upper or in lower case', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const again = server.register({ email: 'ADA@example.com', password: PASSWORD });
  expect(await codeOf(again)).toBe('EMAIL_ALREADY_EXISTS');
});

test.each([
  ['no email', { password: PASSWORD }, 'email', 'required'],
  ['a bad email', { email: 'nobody', password: PASSWORD }, 'email', 'format'],
  ['an email without a domain', { email: 'a@host', password: PASSWORD }, 'email', 'pattern'],
  ['no password', { email: 'a@example.com' }, 'password', 'required'],
  ['a short password', { email: 'a@example.com', password: '1234567' }, 'password', 'minLength'],
  ['a number as password', { email: 'a@example.com', password: 12345678 }, 'password', 'type'],
  ['null as name', { email: 'a@example.com', password: PASSWORD, full_name: null }, 'full_name', 'type'],
])('a registration with %s is refused', async (_, body, field, code) => {
  const { anonymous } = await start();
  const refusal = await refused(anonymous.unchecked.auth.register(body));
  expect(refusal.code).toBe('VALIDATION_ERROR');
  expect(refusal.details.fields).toContainEqual({
    field,
    location: 'body',
    code,
    message: expect.any(String),
  });
});

test.each([
  ['closed', 'Registration is closed on this installation.'],
  ['invite', 'This installation accepts registrations by invitation only. Ask an admin for one.'],
] as const)('only the first user can register when registration is %s', async (registration, message) => {
  const server = await start({ registration });
  await enter(server, 'first@example.com');
  const second = server.register({ email: 'second@example.com', password: PASSWORD });
  expect(await refused(second)).toMatchObject({ code: 'REGISTRATION_CLOSED', message });
});

test('a login returns the token set of the specification', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  expect(await server.login({ email: 'ADA@EXAMPLE.COM', password: PASSWORD })).toEqual({
    access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    token_type: 'bearer',
    expires_in: 86_400,
    refresh_token: expect.stringMatching(/^rt_[\w-]{43}$/),
  });
});

test('a wrong password and an unknown email get the same answer', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const wrong = await server.login({ email: 'ada@example.com', password: 'wrong horse' }).answer;
  const unknown = await server.login({ email: 'eve@example.com', password: PASSWORD }).answer;
  expect(wrong.status).toBe(401);
  expect(wrong.body).toEqual(unknown.body);
  expect(wrong.body).toMatchObject({ error: { code: 'INVALID_CREDENTIALS', details: {} } });
});

test('the refusal of a wrong password does not wait for its audit entry', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const rename = (from: string, to: string) => server.db.schema.alterTable(from).renameTo(to).execute();
  // Audit entries cannot be written meanwhile.
  await rename('outbox', 'outbox_away');
  const wrong = server.login({ email: 'ada@example.com', password: 'wrong horse' });
  expect(await codeOf(wrong)).toBe('INVALID_CREDENTIALS');
  await rename('outbox_away', 'outbox');
});

test('GET /auth/me shows the last login and the organizations', async () => {
  const server = await start();
  const { id, api } = await enter(server, 'ada@example.com');
  expect(await api.auth.me()).toEqual({
    id,
    kind: 'user',
    email: 'ada@example.com',
    full_name: '',
    role: 'admin',
    created_at: '2026-11-20T10:00:00.001Z',
    last_login_at: '2026-11-20T10:00:00.002Z',
    organizations: [
      {
        id: expect.stringMatching(/^org_/),
        name: 'Default organization',
        role: 'admin',
        environment_ids: null,
        project_roles: [],
      },
    ],
  });
});

test('a refresh token can be used repeatedly', async () => {
  const server = await start();
  const { refreshToken } = await enter(server, 'ada@example.com');
  for (let round = 0; round < 2; round++) {
    const refreshed = await server.refresh({ refresh_token: refreshToken });
    expect(refreshed).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 86_400,
    });
    expect(await codeOf(server.withToken(refreshed.access_token).auth.me())).toBe('OK');
  }
});

test('a refresh token is refused if it is unknown or older than 30 days', async () => {
  const server = await start();
  const { accessToken, refreshToken } = await enter(server, 'ada@example.com');
  const refresh = (refresh_token: string) => codeOf(server.refresh({ refresh_token }));
  expect(await refresh(accessToken)).toBe('INVALID_REFRESH_TOKEN');
  expect(await refresh('rt_unknown')).toBe('INVALID_REFRESH_TOKEN');
  server.advance(31 * DAY_MS);
  expect(await refresh(refreshToken)).toBe('INVALID_REFRESH_TOKEN');
});

test('a logout ends the access tokens and the refresh token of its session', async () => {
  const server = await start();
  const { api, refreshToken } = await enter(server, 'ada@example.com');
  const other = await enter(server, 'ada@example.com');
  const { access_token } = await server.refresh({ refresh_token: refreshToken });
  expect(await api.auth.logout()).toBeNull();

  for (const client of [api, server.withToken(access_token)])
    expect(await codeOf(client.auth.me())).toBe('INVALID_TOKEN');
  expect(await codeOf(server.refresh({ refresh_token: refreshToken }))).toBe('INVALID_REFRESH_TOKEN');
  expect(await codeOf(other.api.auth.me())).toBe('OK');
});

test('an expired access token is refused as expired', async () => {
  const server = await start();
  const { api } = await enter(server, 'ada@example.com');
  server.advance(DAY_MS - 10_000);
  expect(await codeOf(api.auth.me())).toBe('OK');
  server.advance(10_000);
  expect(await codeOf(api.auth.me())).toBe('TOKEN_EXPIRED');
});

test('a new role applies from the next request', async () => {
  const server = await start();
  const { api } = await enter(server, 'ada@example.com');
  await server.db.updateTable('memberships').set({ role: 'viewer' }).execute();
  expect((await api.auth.me()).role).toBe('viewer');
});

test('a disabled user is refused at once', async () => {
  const server = await start();
  const { api } = await enter(server, 'ada@example.com');
  await server.db.updateTable('users').set({ disabled_at: '2026-11-20T10:00:00.000Z' }).execute();
  expect(await codeOf(api.auth.me())).toBe('INVALID_TOKEN');
  const login = server.login({ email: 'ada@example.com', password: PASSWORD });
  expect(await codeOf(login)).toBe('INVALID_CREDENTIALS');
});

test('routes that need no credentials accept 10 requests per minute from an address', async () => {
  const { login } = await start({ limits: {} });
  const guess = () => login({ email: 'eve@example.com', password: 'x' });
  for (let round = 0; round < 10; round++) expect(await codeOf(guess())).toBe('INVALID_CREDENTIALS');
  const { code, headers } = await refused(guess());
  expect(code).toBe('RATE_LIMIT_EXCEEDED');
  expect(headers).toMatchObject({ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' });
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

/** How many of twelve logins with forwarded addresses the rate limit refuses. */
async function limitedOfTwelve(
  { login }: Awaited<ReturnType<typeof start>>,
  forwardedFor: (round: number) => string,
): Promise<number> {
  const codes = [];
  for (let round = 0; round < 12; round++) {
    const headers = { 'x-forwarded-for': forwardedFor(round) };
    codes.push(await codeOf(login({ email: `eve${round}@example.com`, password: 'x' }, { headers })));
  }
  return codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED').length;
}

test('forwarded addresses are ignored by default', async () => {
  const server = await start({ limits: {} });
  expect(await limitedOfTwelve(server, (round) => `10.0.0.${round}`)).toBe(2);
});

test.each([
  ['one IPv4 address with different ports', (round: number) => `10.0.0.7:${40_000 + round}`],
  ['one IPv6 address with different ports', (round: number) => `[2001:db8::7]:${40_000 + round}`],
  [
    'the same last address after different others',
    (round: number) => `10.1.0.${round}, 10.0.0.7:${40_000 + round}`,
  ],
])('requests count as those of one client if a trusted proxy forwards %s', async (_, forwardedFor) => {
  const server = await start({ limits: {}, trustProxy: ['127.0.0.1'] });
  expect(await limitedOfTwelve(server, forwardedFor)).toBe(2);
});

test('the database contains no passwords and no tokens in plain text', async () => {
  const server = await start();
  const { accessToken, refreshToken } = await enter(server, 'ada@example.com');
  const rows = JSON.stringify([
    await server.db.selectFrom('users').selectAll().execute(),
    await server.db.selectFrom('sessions').selectAll().execute(),
    await server.db.selectFrom('audit_entries').selectAll().execute(),
    await server.db.selectFrom('outbox').selectAll().execute(),
  ]);
  for (const secret of [PASSWORD, accessToken, refreshToken]) expect(rows).not.toContain(secret);
  expect(rows).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
});

test('registration, login, failed login and logout are audited', async () => {
  const server = await start();
  const { id, api } = await enter(server, 'ada@example.com');
  expect(await codeOf(server.login({ email: 'ada@example.com', password: 'wrong' }))).not.toBe('OK');
  const list = () =>
    server.db
      .selectFrom('audit_entries')
      .select(['action', 'ip'])
      .where('resource_id', '=', id)
      .orderBy('id')
      .execute();
  await expect.poll(list).toHaveLength(3);
  await api.auth.logout();
  const entries = await list();
  expect(entries.map((entry) => entry.action)).toEqual([
    'member.joined',
    'auth.login',
    'auth.login_failed',
    'auth.logout',
  ]);
  expect(entries[0]?.ip).toBe('127.0.0.1');
});
