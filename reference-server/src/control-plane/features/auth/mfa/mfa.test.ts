import { afterEach, expect, test } from 'vitest';
import { type Answer, enter, PASSWORD, startEmptyServer } from '../../../../../test/server.ts';
import { totpCode, totpStep } from './totp.ts';

const MINUTE_MS = 60_000;
const EMAIL = 'ada@example.com';
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const codeOf = ({ status, body }: Answer) => [status, body?.error?.code];

/** A server with one user who has confirmed an authenticator app. */
async function start() {
  const server = await startEmptyServer();
  servers.push(server);
  const { accessToken: token } = await enter(server, EMAIL);
  const post = (url: string, body?: object, as: string | undefined = token) =>
    server.call({ method: 'POST', url, ...(body && { body }), ...(as && { token: as }) });
  const remove = () => server.call({ method: 'DELETE', url: '/auth/mfa/totp', token });
  const status = async () => (await server.call({ url: '/auth/mfa', token })).body.data;
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const advance = (ms: number) => {
    server.advance(ms);
    time += ms;
  };
  const login = (password = PASSWORD) => post('/auth/login', { email: EMAIL, password }, '');
  const verify = (mfa_token: string, code: string) => post('/auth/mfa/verify', { mfa_token, code }, '');
  const challenge = async () => (await login()).body.error.details.mfa_token as string;
  return { ...server, token, post, remove, status, advance, login, verify, challenge, now: () => time };
}

async function withApp() {
  const server = await start();
  const made = await server.post('/auth/mfa/totp');
  expect(made.status).toBe(201);
  const { secret, otpauth_url } = made.body.data;
  expect(otpauth_url).toContain(`secret=${secret}`);
  const code = (drift = 0) => totpCode(secret, totpStep(server.now()) + drift);
  const confirmed = await server.post('/auth/mfa/totp/confirm', { code: code() });
  expect(confirmed.status).toBe(200);
  // The code that confirmed the app cannot be used again.
  server.advance(MINUTE_MS);
  return { ...server, secret, code, recovery: confirmed.body.data.recovery_codes as string[] };
}

test('requires a code after the password and returns tokens for it', async () => {
  const { login, verify, code, call, status } = await withApp();
  const refused = await login();
  expect(refused.body.error).toMatchObject({
    code: 'MFA_REQUIRED',
    details: { mfa_token: expect.stringMatching(/^mfa_/), expires_in: 300 },
  });
  expect(refused.status).toBe(401);
  const entered = await verify(refused.body.error.details.mfa_token, code());
  expect(entered.status).toBe(200);
  const me = await call({ url: '/auth/me', token: entered.body.data.access_token });
  expect(me.body.data.email).toBe(EMAIL);
  expect(await status()).toMatchObject({ totp: 'on', recovery_codes_left: 10 });
  const wrong = await login('wrong password');
  expect(codeOf(wrong)).toEqual([401, 'INVALID_CREDENTIALS']);
});

test('accepts each code once, also with the clock one step off', async () => {
  const { verify, challenge, code, advance } = await withApp();
  const first = await challenge();
  expect((await verify(first, code(-1))).status).toBe(200);
  expect(codeOf(await verify(first, code(-1)))).toEqual([401, 'INVALID_MFA_CODE']);
  expect((await verify(first, code())).status).toBe(200);
  expect((await verify(first, code(1))).status).toBe(200);
  advance(30_000);
  expect(codeOf(await verify(first, code()))).toEqual([401, 'INVALID_MFA_CODE']);
  advance(30_000);
  expect(codeOf(await verify(first, code(2)))).toEqual([401, 'INVALID_MFA_CODE']);
});

test('accepts each recovery code once, in any notation', async () => {
  const { verify, challenge, recovery, status, post } = await withApp();
  expect(new Set(recovery).size).toBe(10);
  expect(recovery[0]).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  expect((await verify(await challenge(), recovery[0]!.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
  expect(codeOf(await verify(await challenge(), recovery[0]!))).toEqual([401, 'INVALID_MFA_CODE']);
  expect((await status()).recovery_codes_left).toBe(9);
  const renewed = await post('/auth/mfa/recovery-codes');
  expect(renewed.status).toBe(201);
  expect(codeOf(await verify(await challenge(), recovery[1]!))).toEqual([401, 'INVALID_MFA_CODE']);
  expect((await verify(await challenge(), renewed.body.data.recovery_codes[1])).status).toBe(200);
});

test('refuses the login token after 5 minutes, after a password change, and when it was altered', async () => {
  const { verify, challenge, code, advance, post } = await withApp();
  const old = await challenge();
  advance(5 * MINUTE_MS);
  expect(codeOf(await verify(old, code()))).toEqual([401, 'INVALID_MFA_TOKEN']);
  const token = await challenge();
  const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const bad of [forged, 'mfa_', 'x', token.slice(4)]) {
    expect(codeOf(await verify(bad, code()))).toEqual([401, 'INVALID_MFA_TOKEN']);
  }
  const body = { current_password: PASSWORD, new_password: 'another password' };
  expect((await post('/auth/password/change', body)).status).toBe(204);
  expect(codeOf(await verify(token, code()))).toEqual([401, 'INVALID_MFA_TOKEN']);
});

test('slows down guesses at codes, also after logins with the right password', async () => {
  const { verify, challenge, code, db } = await withApp();
  for (let count = 0; count < 10; count++) {
    expect(codeOf(await verify(await challenge(), '000000'))).toEqual([401, 'INVALID_MFA_CODE']);
  }
  const limited = await verify(await challenge(), code());
  expect(codeOf(limited)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(limited.headers['retry-after']).toBe('1');
  const failed = await db
    .selectFrom('audit_entries')
    .select('id')
    .where('action', '=', 'auth.login_failed')
    .execute();
  expect(failed).toHaveLength(10);
});

test('slows down guesses that arrive at the same time', async () => {
  const { verify, challenge } = await withApp();
  const token = await challenge();
  const tried = await Promise.all(
    Array.from({ length: 15 }, (_, index) => verify(token, `${100_000 + index}`)),
  );
  expect(tried.filter(({ status }) => status === 429)).toHaveLength(5);
});

test('has no effect before it is confirmed', async () => {
  const { post, login, status, remove } = await start();
  expect(codeOf(await post('/auth/mfa/totp/confirm', { code: '000000' }))).toEqual([409, 'MFA_NOT_STARTED']);
  expect(codeOf(await remove())).toEqual([409, 'MFA_NOT_ON']);
  await post('/auth/mfa/totp');
  expect(await status()).toEqual({
    totp: 'pending',
    confirmed_at: null,
    recovery_codes_left: 0,
    required: false,
  });
  expect(codeOf(await post('/auth/mfa/totp/confirm', { code: '000000' }))).toEqual([401, 'INVALID_MFA_CODE']);
  expect((await login()).status).toBe(200);
  expect(codeOf(await post('/auth/mfa/recovery-codes'))).toEqual([409, 'MFA_NOT_ON']);
  expect((await remove()).status).toBe(204);
  expect((await status()).totp).toBe('off');
});

test('can be changed only after a recent login, with a code where a factor is on', async () => {
  const { post, advance, code, login, remove } = await withApp();
  expect(codeOf(await post('/auth/mfa/totp'))).toEqual([409, 'MFA_ALREADY_ON']);
  advance(5 * MINUTE_MS);
  for (const answer of [
    await remove(),
    await post('/auth/mfa/recovery-codes'),
    await post('/auth/mfa/totp'),
  ]) {
    expect(codeOf(answer)).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
  }
  const password = PASSWORD;
  expect(codeOf(await post('/auth/reauthenticate', { password }))).toEqual([401, 'MFA_REQUIRED']);
  expect(codeOf(await post('/auth/reauthenticate', { password, code: '000000' }))).toEqual([
    401,
    'INVALID_MFA_CODE',
  ]);
  expect((await post('/auth/reauthenticate', { password, code: code() })).status).toBe(200);
  expect((await remove()).status).toBe(204);
  expect((await login()).status).toBe(200);
});

test('stores no secret or code in plain text in the database or the audit log', async () => {
  const { db, secret, recovery } = await withApp();
  const rows = await Promise.all(
    (['totp_factors', 'recovery_codes', 'audit_entries', 'outbox'] as const).map((table) =>
      db.selectFrom(table).selectAll().execute(),
    ),
  );
  const text = JSON.stringify(rows);
  for (const plain of [secret, ...recovery, ...recovery.map((code) => code.replaceAll('-', ''))]) {
    expect(text).not.toContain(plain);
  }
  const actions = (rows[2] as { action: string }[]).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['auth.mfa_started', 'auth.mfa_enabled']));
});
