import { afterEach, expect, test } from 'vitest';
import { enter, PASSWORD, startEmptyServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startEmptyServer>[0] = {}) {
  const server = await startEmptyServer(options);
  servers.push(server);
  return server;
}

test('registers a user and returns the record of the specification', async () => {
  const { call } = await start();
  const { status, body } = await call({
    method: 'POST',
    url: '/auth/register',
    body: { email: 'Ada@Example.com', password: PASSWORD, full_name: 'Ada Lovelace' },
  });
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

test('makes the first user admin and later users viewers', async () => {
  const server = await start();
  expect((await enter(server, 'first@example.com')).role).toBe('admin');
  expect((await enter(server, 'second@example.com')).role).toBe('viewer');
});

test('makes exactly one admin when first registrations race', async () => {
  const { call } = await start();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      call({
        method: 'POST',
        url: '/auth/register',
        body: { email: `user${index}@example.com`, password: PASSWORD },
      }),
    ),
  );
  const roles = answers.map((answer) => answer.body.data.role).sort();
  expect(roles).toEqual(['admin', ...Array(7).fill('viewer')]);
});

test('refuses a registered email in any case', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const { status, body } = await server.call({
    method: 'POST',
    url: '/auth/register',
    body: { email: 'ADA@example.com', password: PASSWORD },
  });
  expect(status).toBe(409);
  expect(body.error.code).toBe('EMAIL_ALREADY_EXISTS');
});

test.each([
  ['no e-mail', { password: PASSWORD }, 'email', 'required'],
  ['a bad e-mail', { email: 'nobody', password: PASSWORD }, 'email', 'format'],
  ['an e-mail without a domain', { email: 'a@host', password: PASSWORD }, 'email', 'pattern'],
  ['no password', { email: 'a@example.com' }, 'password', 'required'],
  ['a short password', { email: 'a@example.com', password: '1234567' }, 'password', 'minLength'],
  ['a number as password', { email: 'a@example.com', password: 12345678 }, 'password', 'type'],
  ['null as name', { email: 'a@example.com', password: PASSWORD, full_name: null }, 'full_name', 'type'],
])('refuses to register with %s', async (_, body, field, code) => {
  const { call } = await start();
  const answer = await call({ method: 'POST', url: '/auth/register', body });
  expect(answer.status).toBe(400);
  expect(answer.body.error.code).toBe('VALIDATION_ERROR');
  expect(answer.body.error.details.fields).toContainEqual({
    field,
    location: 'body',
    code,
    message: expect.any(String),
  });
});

test.each([
  ['closed', 'Registration is closed on this installation.'],
  ['invite', 'This installation accepts registrations by invitation only. Ask an admin for one.'],
] as const)('accepts only the first user when registration is %s', async (registration, message) => {
  const server = await start({ registration });
  await enter(server, 'first@example.com');
  const { status, body } = await server.call({
    method: 'POST',
    url: '/auth/register',
    body: { email: 'second@example.com', password: PASSWORD },
  });
  expect([status, body.error.code, body.error.message]).toEqual([403, 'REGISTRATION_CLOSED', message]);
});

test('returns the token set of the specification at login', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const { status, body } = await server.call({
    method: 'POST',
    url: '/auth/login',
    body: { email: 'ADA@EXAMPLE.COM', password: PASSWORD },
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: {
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: 86_400,
      refresh_token: expect.stringMatching(/^rt_[\w-]{43}$/),
    },
  });
});

test('gives the same answer for a wrong password and an unknown email', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const wrong = await server.call({
    method: 'POST',
    url: '/auth/login',
    body: { email: 'ada@example.com', password: 'wrong horse' },
  });
  const unknown = await server.call({
    method: 'POST',
    url: '/auth/login',
    body: { email: 'eve@example.com', password: PASSWORD },
  });
  expect(wrong.status).toBe(401);
  expect(wrong.body).toEqual(unknown.body);
  expect(wrong.body.error).toMatchObject({ code: 'INVALID_CREDENTIALS', details: {} });
});

test('answers a wrong password before the audit entry is written', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const away = (from: string, to: string) => server.db.schema.alterTable(from).renameTo(to).execute();
  await away('outbox', 'outbox_away');
  const body = { email: 'ada@example.com', password: 'wrong horse' };
  expect((await server.call({ method: 'POST', url: '/auth/login', body })).status).toBe(401);
  await away('outbox_away', 'outbox');
});

test('returns the owner of the token with the last login and the organizations', async () => {
  const server = await start();
  const { id, accessToken } = await enter(server, 'ada@example.com');
  const { status, body } = await server.call({ url: '/auth/me', token: accessToken });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: {
      id,
      kind: 'user',
      email: 'ada@example.com',
      full_name: '',
      role: 'admin',
      created_at: '2026-11-20T10:00:00.001Z',
      last_login_at: '2026-11-20T10:00:00.002Z',
      organizations: [{ id: expect.stringMatching(/^org_/), name: 'Default organization', role: 'admin' }],
    },
  });
});

test('refreshes repeatedly with the same refresh token', async () => {
  const server = await start();
  const { refreshToken } = await enter(server, 'ada@example.com');
  for (let round = 0; round < 2; round++) {
    const { status, body } = await server.call({
      method: 'POST',
      url: '/auth/refresh',
      body: { refresh_token: refreshToken },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { access_token: expect.any(String), token_type: 'bearer', expires_in: 86_400 },
    });
    const me = await server.call({ url: '/auth/me', token: body.data.access_token });
    expect(me.status).toBe(200);
  }
});

test('refuses an unknown refresh token, and any after 30 days', async () => {
  const server = await start();
  const { accessToken, refreshToken } = await enter(server, 'ada@example.com');
  const refresh = (refresh_token: string) =>
    server.call({ method: 'POST', url: '/auth/refresh', body: { refresh_token } });
  const mixedUp = await refresh(accessToken);
  expect([mixedUp.status, mixedUp.body.error.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  const unknown = await refresh('rt_unknown');
  expect([unknown.status, unknown.body.error.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  server.advance(31 * DAY_MS);
  expect((await refresh(refreshToken)).status).toBe(401);
});

test('invalidates all access tokens and the refresh token at logout', async () => {
  const server = await start();
  const { accessToken, refreshToken } = await enter(server, 'ada@example.com');
  const other = await enter(server, 'ada@example.com');
  const refreshed = await server.call({
    method: 'POST',
    url: '/auth/refresh',
    body: { refresh_token: refreshToken },
  });
  const logout = await server.call({ method: 'POST', url: '/auth/logout', token: accessToken });
  expect([logout.status, logout.body]).toEqual([204, undefined]);

  for (const token of [accessToken, refreshed.body.data.access_token]) {
    const { status, body } = await server.call({ url: '/auth/me', token });
    expect([status, body.error.code]).toEqual([401, 'INVALID_TOKEN']);
  }
  const refresh = await server.call({
    method: 'POST',
    url: '/auth/refresh',
    body: { refresh_token: refreshToken },
  });
  expect(refresh.body.error.code).toBe('INVALID_REFRESH_TOKEN');
  expect((await server.call({ url: '/auth/me', token: other.accessToken })).status).toBe(200);
});

test('answers TOKEN_EXPIRED for an expired access token', async () => {
  const server = await start();
  const { accessToken } = await enter(server, 'ada@example.com');
  server.advance(DAY_MS - 10_000);
  expect((await server.call({ url: '/auth/me', token: accessToken })).status).toBe(200);
  server.advance(10_000);
  const { status, body } = await server.call({ url: '/auth/me', token: accessToken });
  expect([status, body.error.code]).toEqual([401, 'TOKEN_EXPIRED']);
});

test('applies a changed role from the next request on', async () => {
  const server = await start();
  const { accessToken } = await enter(server, 'ada@example.com');
  await server.db.updateTable('memberships').set({ role: 'viewer' }).execute();
  const { body } = await server.call({ url: '/auth/me', token: accessToken });
  expect(body.data.role).toBe('viewer');
});

test('refuses a disabled user at once', async () => {
  const server = await start();
  const { accessToken } = await enter(server, 'ada@example.com');
  await server.db.updateTable('users').set({ disabled_at: '2026-11-20T10:00:00.000Z' }).execute();
  expect((await server.call({ url: '/auth/me', token: accessToken })).status).toBe(401);
  const login = await server.call({
    method: 'POST',
    url: '/auth/login',
    body: { email: 'ada@example.com', password: PASSWORD },
  });
  expect(login.body.error.code).toBe('INVALID_CREDENTIALS');
});

test('limits routes without credentials to 10 requests a minute per address', async () => {
  const { call } = await start({ limits: {} });
  const login = () =>
    call({ method: 'POST', url: '/auth/login', body: { email: 'eve@example.com', password: 'x' } });
  for (let round = 0; round < 10; round++) expect((await login()).status).toBe(401);
  const { status, body, headers } = await login();
  expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(headers).toMatchObject({ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' });
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

test('ignores forwarded addresses unless a proxy is trusted', async () => {
  const { call } = await start({ limits: {} });
  const statuses = [];
  for (let round = 0; round < 12; round++) {
    const { status } = await call({
      method: 'POST',
      url: '/auth/login',
      body: { email: 'eve@example.com', password: 'x' },
      headers: { 'x-forwarded-for': `10.0.0.${round}` },
    });
    statuses.push(status);
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
});

test.each([
  ['with its port', (round: number) => `10.0.0.7:${40_000 + round}`],
  ['of IPv6 with its port', (round: number) => `[2001:db8::7]:${40_000 + round}`],
  ['behind another', (round: number) => `10.1.0.${round}, 10.0.0.7:${40_000 + round}`],
])('counts one address for every notation of a trusted proxy: %s', async (_, forwarded) => {
  const server = await start({ limits: {}, trustProxy: ['127.0.0.1'] });
  const statuses = [];
  for (let round = 0; round < 12; round++) {
    const { status } = await server.call({
      method: 'POST',
      url: '/auth/login',
      body: { email: `eve${round}@example.com`, password: 'x' },
      headers: { 'x-forwarded-for': forwarded(round) },
    });
    statuses.push(status);
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
});

test('stores no password or token in plain text', async () => {
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

test('writes audit entries for registration, login, failed login and logout', async () => {
  const server = await start();
  const { id, accessToken } = await enter(server, 'ada@example.com');
  await server.call({
    method: 'POST',
    url: '/auth/login',
    body: { email: 'ada@example.com', password: 'wrong' },
  });
  const list = () =>
    server.db
      .selectFrom('audit_entries')
      .select(['action', 'ip'])
      .where('resource_id', '=', id)
      .orderBy('id')
      .execute();
  await expect.poll(list).toHaveLength(3);
  await server.call({ method: 'POST', url: '/auth/logout', token: accessToken });
  const entries = await list();
  expect(entries.map((entry) => entry.action)).toEqual([
    'member.joined',
    'auth.login',
    'auth.login_failed',
    'auth.logout',
  ]);
  expect(entries[0]?.ip).toBe('127.0.0.1');
});
