import { afterEach, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { codeOf, refused } from '../../../../../test/api-call.ts';
import { enter, PASSWORD, startEmptyServer, startServer } from '../../../../../test/server.ts';
import type { OutgoingMail as Mail } from '../../../../outbound/send-mail.ts';
import { generateSecret } from '../../../../publishing/key-format.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ADA = 'ada@example.com';
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startEmptyServer>[0] = {}) {
  const server = await startEmptyServer(options);
  servers.push(server);
  const { auth } = server.anonymous;
  const login = (password: string, email = ADA) => auth.login({ email, password });
  return { ...server, auth, login };
}

const tokenIn = (mail: Mail) => /#token=(\S+)/.exec(mail.text)![1]!;

/** A server with one user, who has asked for a new password. */
async function startWithReset() {
  const mails: Mail[] = [];
  const server = await start({ sendMail: async (mail) => void mails.push(mail) });
  const { api } = await enter(server, ADA);
  await server.auth.forgotPassword({ email: ADA });
  await expect.poll(() => mails.length).toBe(1);
  const token = tokenIn(mails[0]!);
  const reset = () => server.auth.resetPassword({ token, password: 'a third horse' });
  return { server, reset, api };
}

test('a user lists their sessions and ends one, or all others', async () => {
  const server = await start();
  const first = await enter(server, ADA);
  const second = await enter(server, ADA);
  await enter(server, ADA);
  await enter(server, 'eve@example.com');
  const { sessions } = first.api;
  const listed = await sessions.list();
  expect(listed.map(({ current }) => current)).toEqual([false, false, true]);
  expect(listed[0]).toMatchObject({ ip: '127.0.0.1', last_used_at: expect.any(String) });

  await sessions.revoke(listed[1]!.id);
  expect(await codeOf(second.api.auth.me())).toBe('INVALID_TOKEN');
  expect(await codeOf(sessions.revoke(listed[1]!.id))).toBe('SESSION_NOT_FOUND');
  expect(await sessions.revokeOthers()).toEqual({ revoked: 1 });
  expect(await sessions.list()).toHaveLength(1);
});

test('the last use of a session is recorded at most once a minute', async () => {
  const server = await start();
  const { api } = await enter(server, ADA);
  const lastUsedAt = async () => (await api.sessions.list())[0]!.last_used_at!;
  const before = await lastUsedAt();
  server.advance(30_000);
  expect(await lastUsedAt()).toBe(before);
  server.advance(30_000);
  await expect.poll(async () => (await lastUsedAt()) > before).toBe(true);
});

test('the use of a refresh token after logout is audited', async () => {
  const server = await start();
  const { api, refreshToken } = await enter(server, ADA);
  await api.auth.logout();
  for (const refresh_token of [refreshToken, 'rt_unknown'])
    expect(await codeOf(server.auth.refresh({ refresh_token }))).toBe('INVALID_REFRESH_TOKEN');
  const rows = await server.db
    .selectFrom('audit_entries')
    .select('actor_email')
    .where('action', '=', 'auth.refresh_refused')
    .execute();
  expect(rows).toEqual([{ actor_email: ADA }]);
});

test('changing the password ends all other sessions', async () => {
  const server = await start();
  const { api } = await enter(server, ADA);
  const other = await enter(server, ADA);
  const change = (current_password: string) =>
    codeOf(api.auth.changePassword({ current_password, new_password: 'another horse' }));
  expect(await change('wrong')).toBe('INVALID_CREDENTIALS');
  expect(await change(PASSWORD)).toBe('OK');
  expect(await codeOf(api.auth.me())).toBe('OK');
  expect(await codeOf(other.api.auth.me())).toBe('INVALID_TOKEN');
  expect(await codeOf(server.login(PASSWORD))).toBe('INVALID_CREDENTIALS');
  expect(await codeOf(server.login('another horse'))).toBe('OK');
});

test('a password reset token is emailed, can be used once, and expires after an hour', async () => {
  const mails: Mail[] = [];
  const all: Mail[] = [];
  const sendMail = async (mail: Mail) => {
    all.push(mail);
    if (mail.subject === 'Set a new password') mails.push(mail);
  };
  const server = await start({ sendMail });
  const session = await enter(server, ADA);
  const request = (email: string) => server.auth.forgotPassword({ email }).answer;
  const [known, unknown] = [await request('ADA@example.com'), await request('eve@example.com')];
  expect([known.status, known.body]).toEqual([202, unknown.body]);
  await expect.poll(() => mails.length).toBe(1);
  const reset = (mail: Mail | undefined) =>
    codeOf(server.auth.resetPassword({ token: tokenIn(mail!), password: 'another horse' }));
  const stored = JSON.stringify(await server.db.selectFrom('password_resets').selectAll().execute());
  expect(stored).not.toContain(tokenIn(mails[0]!));

  await request(ADA);
  await expect.poll(() => mails.length).toBe(2);
  expect(await reset(mails[0])).toBe('INVALID_RESET_TOKEN');
  expect(await reset(mails[1])).toBe('OK');
  expect(await reset(mails[1])).toBe('INVALID_RESET_TOKEN');
  expect(await codeOf(session.api.auth.me())).toBe('INVALID_TOKEN');
  expect(await codeOf(server.login('another horse'))).toBe('OK');

  await request(ADA);
  await expect.poll(() => mails.length).toBe(3);
  server.advance(61 * MINUTE_MS);
  expect(await reset(mails[2])).toBe('INVALID_RESET_TOKEN');
  expect(all.map(({ subject }) => subject)).toEqual([
    'Set a new password',
    'Set a new password',
    'Your password was changed',
    'Set a new password',
  ]);
});

test('changing the password invalidates reset tokens', async () => {
  const { reset, api } = await startWithReset();
  await api.auth.changePassword({ current_password: PASSWORD, new_password: 'another horse' });
  expect(await codeOf(reset())).toBe('INVALID_RESET_TOKEN');
});

test('a login with the old password during a reset leaves no session', async () => {
  const { server, reset } = await startWithReset();
  const attempts = Promise.allSettled(Array.from({ length: 8 }, () => server.login(PASSWORD)));
  await reset();
  for (const attempt of await attempts) {
    if (attempt.status === 'rejected') continue;
    const session = server.withToken(attempt.value.access_token);
    expect(await codeOf(session.auth.me())).toBe('INVALID_TOKEN');
  }
});

test('the log entry for a missing mail transport does not contain the reset token', async () => {
  const lines: unknown[][] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  const logger = { level: 'info', info: log, warn: log, error: log, child: () => logger } as never;
  const server = await start({ logger });
  await enter(server, ADA);
  await server.auth.forgotPassword({ email: ADA });
  await expect.poll(() => JSON.stringify(lines)).toContain('no mail transport');
  const { message } = await server.auth.forgotPassword({ email: 'eve@example.com' });
  expect(message).toContain('flagsvc-server reset-password');
  expect(JSON.stringify(lines)).not.toContain('rst_');
});

test('password guesses at one account are limited across all addresses', async () => {
  const server = await start({ trustProxy: ['127.0.0.1'] });
  await enter(server, ADA);
  await enter(server, 'eve@example.com');
  let guesses = 0;
  const guess = (email = ADA, password = 'wrong') => {
    guesses += 1;
    const headers = { 'x-forwarded-for': `10.0.${guesses >> 8}.${guesses & 255}` };
    return server.auth.login({ email, password }, { headers });
  };
  for (let round = 0; round < 10; round++) expect(await codeOf(guess())).toBe('INVALID_CREDENTIALS');
  const { code, headers } = await refused(guess(ADA, PASSWORD));
  expect(code).toBe('RATE_LIMIT_EXCEEDED');
  // The headers describe the limit of the account, not of the address.
  expect(headers).toMatchObject({
    'retry-after': '1',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Date.parse('2026-11-20T10:00:02.000Z') / 1_000),
  });
  expect(await codeOf(guess('eve@example.com', PASSWORD))).toBe('OK');
  server.advance(1_000);
  expect(await codeOf(guess())).toBe('INVALID_CREDENTIALS');
  expect((await refused(guess())).headers['retry-after']).toBe('2');
  server.advance(2_000);
  expect(await codeOf(guess(ADA, PASSWORD))).toBe('OK');
  expect(await codeOf(guess())).toBe('INVALID_CREDENTIALS');
  expect(await codeOf(guess(ADA, PASSWORD))).toBe('OK');
  for (let round = 0; round < 10; round++)
    expect(await codeOf(guess('nobody@example.com'))).toBe('INVALID_CREDENTIALS');
  expect(await codeOf(guess('nobody@example.com'))).toBe('RATE_LIMIT_EXCEEDED');
}, 30_000);

test('concurrent guesses count like consecutive ones, and concurrent logins succeed', async () => {
  const server = await start();
  await enter(server, ADA);
  const attempt = (passwords: string[]) =>
    Promise.all(passwords.map((password) => codeOf(server.login(password))));
  expect(new Set(await attempt(Array(15).fill(PASSWORD)))).toEqual(new Set(['OK']));
  const guesses = await attempt(Array.from({ length: 15 }, (_, index) => `guess ${index}`));
  expect(guesses.sort()).toEqual([
    ...Array(10).fill('INVALID_CREDENTIALS'),
    ...Array(5).fill('RATE_LIMIT_EXCEEDED'),
  ]);
});

test('invalid bearer tokens are limited by address, valid ones are not', async () => {
  const server = await start({ limits: { credentials: 3 } });
  const { api } = await enter(server, ADA);
  const codes = [];
  for (let round = 0; round < 5; round++) codes.push(await codeOf(server.withToken('guessed').auth.me()));
  expect(codes).toEqual([...Array(3).fill('INVALID_TOKEN'), ...Array(2).fill('RATE_LIMIT_EXCEEDED')]);
  expect(await codeOf(api.auth.me())).toBe('OK');
});

test('unknown personal tokens are limited, known ones are not', async () => {
  const server = await start({ limits: { credentials: 3 } });
  const { api } = await enter(server, ADA);
  const { token } = await api.personalTokens.create({ name: 'ci', scopes: ['read'] });
  const read = (own: string) => codeOf(server.withToken(own).projects.list());
  for (let round = 0; round < 5; round++) expect(await read(token!)).toBe('OK');
  const guesses = Array.from({ length: 5 }, () => generateSecret('pat_'));
  expect((await Promise.all(guesses.map(read))).sort()).toEqual([
    ...Array(3).fill('INVALID_TOKEN'),
    ...Array(2).fill('RATE_LIMIT_EXCEEDED'),
  ]);
  expect(await read(token!)).toBe('OK');
});

test('a session ends after the maximum duration that the organization sets', async () => {
  const server = await start();
  const admin = (await enter(server, ADA)).api;
  const [organization] = await admin.organizations.list();
  const settings = { session_max_hours: 8 };
  expect((await admin.organizations.update(organization!.id, { settings })).settings).toMatchObject({
    session_max_hours: 8,
    allowed_email_domains: [],
  });
  const { refreshToken, api } = await enter(server, ADA);
  const refresh = () => server.auth.refresh({ refresh_token: refreshToken });
  server.advance(7 * 60 * MINUTE_MS);
  // An access token lasts no longer than its session.
  expect((await refresh()).expires_in).toBeLessThanOrEqual(3_600);
  server.advance(60 * MINUTE_MS);
  expect(await codeOf(api.auth.me())).toBe('TOKEN_EXPIRED');
  expect(await codeOf(refresh())).toBe('INVALID_REFRESH_TOKEN');
});

test('a personal token is limited to its scopes and to the role of its user', async () => {
  const server = await startServer();
  servers.push(server);
  const { projectId, environments } = server;
  type Scope = 'read' | 'flags:write' | 'admin';
  const create = (role: 'editor' | 'viewer', scope: Scope) =>
    server.as(role).personalTokens.create({ name: 'ci', scopes: [scope] });
  const created = await create('editor', 'read');
  expect(created).toMatchObject({
    id: expect.stringMatching(/^pat_[0-9A-Z]{26}$/),
    token: expect.stringMatching(/^pat_[0-9A-Za-z]{38}$/),
    scopes: ['read'],
    status: 'active',
  });
  const reader = server.withToken(created.token!);
  const writer = server.withToken((await create('editor', 'flags:write')).token!);
  const full = server.withToken((await create('editor', 'admin')).token!);
  const viewer = server.withToken((await create('viewer', 'admin')).token!);
  const createSegment = (by: Api, key: string) => by.segments.create(projectId, { key, conditions: [] });
  const createKey = (by: Api) => by.apiKeys.create(environments.staging, { name: 'k' });

  expect(await codeOf(reader.auth.me())).toBe('OK');
  expect(await refused(createSegment(reader, 'a'))).toMatchObject({
    code: 'INSUFFICIENT_PERMISSIONS',
    message: expect.stringContaining('scopes'),
  });
  expect(await codeOf(createSegment(writer, 'a'))).toBe('OK');
  expect(await codeOf(createSegment(viewer, 'b'))).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await codeOf(createKey(writer))).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await codeOf(createKey(full))).toBe('OK');
  expect(await codeOf(full.personalTokens.list())).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await codeOf(full.sessions.list())).toBe('INSUFFICIENT_PERMISSIONS');
  const rows = JSON.stringify(await server.db.selectFrom('personal_tokens').selectAll().execute());
  expect(rows).not.toContain(created.token!.slice(4));
});

test('a personal token stops working when it is revoked or expires, or when its user is disabled', async () => {
  const server = await startServer();
  servers.push(server);
  const { personalTokens } = server.as('editor');
  const works = async ({ token }: { token?: string }) =>
    (await codeOf(server.withToken(token!).auth.me())) === 'OK';
  const one = await personalTokens.create({ name: 'one', scopes: ['read'] });
  const expires_at = '2026-11-20T12:00:00Z';
  const two = await personalTokens.create({ name: 'two', scopes: ['read'], expires_at });
  const three = await personalTokens.create({ name: 'three', scopes: ['read'] });
  await personalTokens.revoke(one.id);
  const another = server.as('admin').personalTokens;
  expect(await codeOf(another.revoke(two.id))).toBe('PERSONAL_TOKEN_NOT_FOUND');
  expect([await works(one), await works(two)]).toEqual([false, true]);
  server.advance(3 * 60 * MINUTE_MS);
  expect(await works(two)).toBe(false);
  expect((await personalTokens.list()).map(({ name, status }) => [name, status])).toEqual([
    ['three', 'active'],
    ['two', 'expired'],
  ]);
  expect(await works(three)).toBe(true);
  await server.db.updateTable('users').set({ disabled_at: '2026-11-20T10:00:00.000Z' }).execute();
  expect(await works(three)).toBe(false);
});

test.each([
  ['no scope', { scopes: [] }],
  ['an unknown scope', { scopes: ['everything'] }],
  ['an expiry in the past', { scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }],
  [
    'an expiry more than a year ahead',
    { scopes: ['read'], expires_at: new Date(Date.parse('2026-11-20') + 400 * DAY_MS).toISOString() },
  ],
])('a personal token with %s is refused', async (_, body) => {
  const { api } = await enter(await start(), ADA);
  const created = api.unchecked.personalTokens.create({ name: 'x', ...body });
  expect(await codeOf(created)).toBe('VALIDATION_ERROR');
});
