import { afterEach, expect, test } from 'vitest';
import { type Answer, enter, PASSWORD, startEmptyServer, startServer } from '../../../../../test/server.ts';
import { generateSecret } from '../../../../publishing/key-format.ts';
import type { Mail } from '../../../mail/mailer.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startEmptyServer>[0] = {}) {
  const server = await startEmptyServer(options);
  servers.push(server);
  const post = (url: string, body: object, token?: string) =>
    server.call({ method: 'POST', url, body, ...(token !== undefined && { token }) });
  const login = (password: string, email = 'ada@example.com') => post('/auth/login', { email, password });
  return { ...server, post, login };
}

/** A server with one user who has requested a password reset. */
async function withReset() {
  const mails: Mail[] = [];
  const server = await start({ sendMail: async (mail) => void mails.push(mail) });
  const { accessToken: token } = await enter(server, 'ada@example.com');
  await server.post('/auth/password/forgot', { email: 'ada@example.com' });
  await expect.poll(() => mails.length).toBe(1);
  const sent = /#token=(\S+)/.exec(mails[0]!.text)![1]!;
  const reset = () => server.post('/auth/password/reset', { token: sent, password: 'a third horse' });
  return { server, reset, token };
}
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code];

test('lists the user’s sessions and ends one of them or all others', async () => {
  const server = await start();
  const first = await enter(server, 'ada@example.com');
  const second = await enter(server, 'ada@example.com');
  await enter(server, 'ada@example.com');
  await enter(server, 'eve@example.com');
  const list = async (token: string) => (await server.call({ url: '/auth/sessions', token })).body.data;
  const sessions = await list(first.accessToken);
  expect(sessions).toHaveLength(3);
  expect(sessions.map((one: { current: boolean }) => one.current)).toEqual([false, false, true]);
  expect(sessions[0]).toMatchObject({ ip: '127.0.0.1', last_used_at: expect.any(String) });

  const end = (id: string) =>
    server.call({ method: 'DELETE', url: `/auth/sessions/${id}`, token: first.accessToken });
  expect((await end(sessions[1].id)).status).toBe(204);
  expect((await server.call({ url: '/auth/me', token: second.accessToken })).status).toBe(401);
  expect(codeOf(await end(sessions[1].id))).toEqual([404, 'SESSION_NOT_FOUND']);

  const rest = await server.call({ method: 'DELETE', url: '/auth/sessions', token: first.accessToken });
  expect(rest.body.data).toEqual({ revoked: 1 });
  expect(await list(first.accessToken)).toHaveLength(1);
});

test('records the last use of a session at most once a minute', async () => {
  const server = await start();
  const { accessToken: token } = await enter(server, 'ada@example.com');
  const used = async () => (await server.call({ url: '/auth/sessions', token })).body.data[0].last_used_at;
  const before = await used();
  server.advance(30_000);
  expect(await used()).toBe(before);
  server.advance(30_000);
  expect((await used()) > before).toBe(true);
});

test('writes an audit entry when a refresh token is used after logout', async () => {
  const server = await start();
  const { accessToken, refreshToken } = await enter(server, 'ada@example.com');
  await server.call({ method: 'POST', url: '/auth/logout', token: accessToken });
  const answer = await server.post('/auth/refresh', { refresh_token: refreshToken });
  expect(codeOf(answer)).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  await server.post('/auth/refresh', { refresh_token: 'rt_unknown' });
  const rows = await server.db
    .selectFrom('audit_entries')
    .select('actor_email')
    .where('action', '=', 'auth.refresh_refused')
    .execute();
  expect(rows).toEqual([{ actor_email: 'ada@example.com' }]);
});

test('changes the password and ends the other sessions', async () => {
  const server = await start();
  const { accessToken: token } = await enter(server, 'ada@example.com');
  const other = await enter(server, 'ada@example.com');
  const change = (current_password: string) =>
    server.post('/auth/password/change', { current_password, new_password: 'another horse' }, token);
  expect(codeOf(await change('wrong'))).toEqual([401, 'INVALID_CREDENTIALS']);
  expect((await change(PASSWORD)).status).toBe(204);
  expect((await server.call({ url: '/auth/me', token })).status).toBe(200);
  expect((await server.call({ url: '/auth/me', token: other.accessToken })).status).toBe(401);
  expect((await server.login(PASSWORD)).status).toBe(401);
  expect((await server.login('another horse')).status).toBe(200);
});

test('sends a reset token that works once, for an hour', async () => {
  const mails: Mail[] = [];
  const server = await start({ sendMail: async (mail) => void mails.push(mail) });
  const session = await enter(server, 'ada@example.com');
  const ask = (email: string) => server.post('/auth/password/forgot', { email });
  const known = await ask('ADA@example.com');
  const unknown = await ask('eve@example.com');
  expect([known.status, known.body]).toEqual([202, unknown.body]);
  await expect.poll(() => mails.length).toBe(1);
  const tokenOf = (mail: Mail) => /#token=(\S+)/.exec(mail.text)![1]!;
  const reset = (token: string) => server.post('/auth/password/reset', { token, password: 'another horse' });
  const stored = JSON.stringify(await server.db.selectFrom('password_resets').selectAll().execute());
  expect(stored).not.toContain(tokenOf(mails[0]!));

  await ask('ada@example.com');
  await expect.poll(() => mails.length).toBe(2);
  expect(codeOf(await reset(tokenOf(mails[0]!)))).toEqual([401, 'INVALID_RESET_TOKEN']);
  expect((await reset(tokenOf(mails[1]!))).status).toBe(204);
  expect(codeOf(await reset(tokenOf(mails[1]!)))).toEqual([401, 'INVALID_RESET_TOKEN']);
  expect((await server.call({ url: '/auth/me', token: session.accessToken })).status).toBe(401);
  expect((await server.login('another horse')).status).toBe(200);

  await ask('ada@example.com');
  await expect.poll(() => mails.length).toBe(3);
  server.advance(61 * MINUTE_MS);
  expect(codeOf(await reset(tokenOf(mails[2]!)))).toEqual([401, 'INVALID_RESET_TOKEN']);
});

test('a password change voids earlier reset emails', async () => {
  const { server, reset, token } = await withReset();
  const body = { current_password: PASSWORD, new_password: 'another horse' };
  expect((await server.post('/auth/password/change', body, token)).status).toBe(204);
  expect(codeOf(await reset())).toEqual([401, 'INVALID_RESET_TOKEN']);
});

test('a login with the old password that races a reset leaves no session', async () => {
  const { server, reset } = await withReset();
  const attempts = Promise.all(Array.from({ length: 8 }, () => server.login(PASSWORD)));
  expect((await reset()).status).toBe(204);
  for (const { status, body } of await attempts) {
    if (status !== 200) continue;
    expect((await server.call({ url: '/auth/me', token: body.data.access_token })).status).toBe(401);
  }
});

test('logs that no mail transport is configured, without the token', async () => {
  const lines: unknown[][] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  const logger = { level: 'info', info: log, warn: log, error: log, child: () => logger } as never;
  const server = await start({ logger });
  await enter(server, 'ada@example.com');
  await server.post('/auth/password/forgot', { email: 'ada@example.com' });
  await expect.poll(() => JSON.stringify(lines)).toContain('no mail transport is configured');
  expect(JSON.stringify(lines)).not.toContain('rst_');
});

test('slows down guesses at one account from many addresses', async () => {
  const server = await start({ trustProxy: ['127.0.0.1'] });
  await enter(server, 'ada@example.com');
  await enter(server, 'eve@example.com');
  let guesses = 0;
  const guess = (email = 'ada@example.com', password = 'wrong') => {
    guesses += 1;
    const headers = { 'x-forwarded-for': `10.0.${guesses >> 8}.${guesses & 255}` };
    return server.call({ method: 'POST', url: '/auth/login', body: { email, password }, headers });
  };
  for (let round = 0; round < 10; round++) expect((await guess()).status).toBe(401);
  const refused = await guess('ada@example.com', PASSWORD);
  expect(codeOf(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(refused.headers['retry-after']).toBe('1');
  // The headers describe the wait of the account, not the limit per address.
  expect(refused.headers['x-ratelimit-remaining']).toBe('0');
  const resetAt = Date.parse('2026-11-20T10:00:02.000Z') / 1_000;
  expect(refused.headers['x-ratelimit-reset']).toBe(String(resetAt));
  expect((await guess('eve@example.com', PASSWORD)).status).toBe(200);
  server.advance(1_000);
  expect((await guess()).status).toBe(401);
  expect((await guess()).headers['retry-after']).toBe('2');
  server.advance(2_000);
  expect((await guess('ada@example.com', PASSWORD)).status).toBe(200);
  expect((await guess()).status).toBe(401);
  expect((await guess('ada@example.com', PASSWORD)).status).toBe(200);
  for (let round = 0; round < 10; round++) expect((await guess('nobody@example.com')).status).toBe(401);
  expect((await guess('nobody@example.com')).status).toBe(429);
}, 30_000);

test('allows no more simultaneous guesses than successive ones, and always simultaneous valid logins', async () => {
  const server = await start();
  await enter(server, 'ada@example.com');
  const logins = await Promise.all(Array.from({ length: 15 }, () => server.login(PASSWORD)));
  expect(logins.filter(({ status }) => status === 200)).toHaveLength(15);
  const guesses = await Promise.all(Array.from({ length: 15 }, (_, index) => server.login(`guess ${index}`)));
  const statuses = guesses.map(({ status }) => status);
  expect([401, 429].map((one) => statuses.filter((status) => status === one).length)).toEqual([10, 5]);
});

test('limits invalid bearer tokens per address, but not valid ones', async () => {
  const server = await start({ limits: { credentials: 3 } });
  const { accessToken: token } = await enter(server, 'ada@example.com');
  const statuses = [];
  for (let round = 0; round < 5; round++) {
    statuses.push((await server.call({ url: '/auth/me', token: 'guessed' })).status);
  }
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  expect((await server.call({ url: '/auth/me', token })).status).toBe(200);
});

test('limits well-formed unknown personal tokens, but not one that was used before', async () => {
  const server = await start({ limits: { credentials: 3 } });
  const { accessToken } = await enter(server, 'ada@example.com');
  const made = await server.call({
    method: 'POST',
    url: '/auth/tokens',
    token: accessToken,
    body: { name: 'ci', scopes: ['read'] },
  });
  const { token } = made.body.data;
  const read = (own: string) => server.call({ url: '/projects', token: own });
  for (let round = 0; round < 5; round++) expect((await read(token)).status).toBe(200);
  const guesses = Array.from({ length: 5 }, () => generateSecret('pat_'));
  const statuses = (await Promise.all(guesses.map(read))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([401, 401, 401, 429, 429]);
  expect((await read(token)).status).toBe(200);
});

test('ends a session after the maximum that the organization sets', async () => {
  const server = await start();
  const { accessToken: token } = await enter(server, 'ada@example.com');
  const { body } = await server.call({ url: '/organizations', token });
  const patch = await server.call({
    method: 'PATCH',
    url: `/organizations/${body.data[0].id}`,
    token,
    body: { settings: { session_max_hours: 8 } },
  });
  expect(patch.body.data.settings).toMatchObject({ session_max_hours: 8, allowed_email_domains: [] });
  const { refreshToken, accessToken } = await enter(server, 'ada@example.com');
  const refresh = () => server.post('/auth/refresh', { refresh_token: refreshToken });
  server.advance(7 * 60 * MINUTE_MS);
  const { status, body: refreshed } = await refresh();
  expect(status).toBe(200);
  // An access token does not outlive the session.
  expect(refreshed.data.expires_in).toBeLessThanOrEqual(3_600);
  server.advance(60 * MINUTE_MS);
  const late = await server.call({ url: '/auth/me', token: accessToken });
  expect([late.status, late.body.error.code]).toEqual([401, 'TOKEN_EXPIRED']);
  expect((await refresh()).status).toBe(401);
});

test('limits a personal token to its scopes and to the rights of its user', async () => {
  const server = await startServer();
  servers.push(server);
  const create = (role: 'editor' | 'viewer', scopes: string[], more: object = {}) =>
    server.call({
      method: 'POST',
      url: '/auth/tokens',
      token: server.tokens[role],
      body: { name: 'ci', scopes, ...more },
    });
  const { status, body } = await create('editor', ['read']);
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    id: expect.stringMatching(/^pat_[0-9A-Z]{26}$/),
    token: expect.stringMatching(/^pat_[0-9A-Za-z]{38}$/),
    scopes: ['read'],
    status: 'active',
  });
  const read = body.data.token;
  const write = (await create('editor', ['flags:write'])).body.data.token;
  const all = (await create('editor', ['admin'])).body.data.token;
  const viewer = (await create('viewer', ['admin'])).body.data.token;
  const segment = (token: string, key: string) =>
    server.call({
      method: 'POST',
      url: `/projects/${server.projectId}/segments`,
      token,
      body: { key, conditions: [] },
    });
  expect((await server.call({ url: '/auth/me', token: read })).status).toBe(200);
  const refused = await segment(read, 'a');
  expect(codeOf(refused)).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  expect(refused.body.error.message).toMatch(/scopes/);
  expect((await segment(write, 'a')).status).toBe(201);
  expect((await segment(viewer, 'b')).status).toBe(403);
  const key = (token: string) =>
    server.call({
      method: 'POST',
      url: `/environments/${server.environments.staging}/api-keys`,
      token,
      body: { name: 'k' },
    });
  expect((await key(write)).status).toBe(403);
  expect((await key(all)).status).toBe(201);
  for (const url of ['/auth/tokens', '/auth/sessions']) {
    expect((await server.call({ url, token: all })).status).toBe(403);
  }
  const rows = JSON.stringify(await server.db.selectFrom('personal_tokens').selectAll().execute());
  expect(rows).not.toContain(read.slice(4));
});

test('refuses personal tokens that are revoked, expired or of a disabled user', async () => {
  const server = await startServer();
  servers.push(server);
  const token = server.tokens.editor;
  const post = (body: object) => server.call({ method: 'POST', url: '/auth/tokens', token, body });
  const works = async (personal: string) =>
    (await server.call({ url: '/auth/me', token: personal })).status === 200;
  const one = (await post({ name: 'one', scopes: ['read'] })).body.data;
  const two = (await post({ name: 'two', scopes: ['read'], expires_at: '2026-11-20T12:00:00Z' })).body.data;
  const three = (await post({ name: 'three', scopes: ['read'] })).body.data;
  const url = `/auth/tokens/${one.id}`;
  expect((await server.call({ method: 'DELETE', url, token })).status).toBe(204);
  const others = await server.call({
    method: 'DELETE',
    url: `/auth/tokens/${two.id}`,
    token: server.tokens.admin,
  });
  expect(codeOf(others)).toEqual([404, 'PERSONAL_TOKEN_NOT_FOUND']);
  expect([await works(one.token), await works(two.token)]).toEqual([false, true]);
  server.advance(3 * 60 * MINUTE_MS);
  expect(await works(two.token)).toBe(false);
  const list = await server.call({ url: '/auth/tokens', token });
  expect(list.body.data.map((item: { name: string; status: string }) => [item.name, item.status])).toEqual([
    ['three', 'active'],
    ['two', 'expired'],
  ]);
  expect(await works(three.token)).toBe(true);
  await server.db.updateTable('users').set({ disabled_at: '2026-11-20T10:00:00.000Z' }).execute();
  expect(await works(three.token)).toBe(false);
});

test.each([
  ['no scope', { scopes: [] }],
  ['an unknown scope', { scopes: ['everything'] }],
  ['an end in the past', { scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }],
  [
    'an end after more than a year',
    { scopes: ['read'], expires_at: new Date(Date.parse('2026-11-20') + 400 * DAY_MS).toISOString() },
  ],
])('refuses a new personal token with %s', async (_, body) => {
  const server = await start();
  const { accessToken: token } = await enter(server, 'ada@example.com');
  expect(codeOf(await server.post('/auth/tokens', { name: 'x', ...body }, token))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
});
