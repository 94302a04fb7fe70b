import { afterEach, expect, test } from 'vitest';
import { codeOf, refused } from '../../../../../test/api-call.ts';
import { enter, PASSWORD, startEmptyServer } from '../../../../../test/server.ts';
import type { OutgoingMail } from '../../../../outbound/send-mail.ts';
import { totpCode, totpStep } from './totp.ts';

const MINUTE_MS = 60_000;
const EMAIL = 'ada@example.com';
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A server with one user. */
async function start() {
  const mails: OutgoingMail[] = [];
  const server = await startEmptyServer({ sendMail: async (mail) => void mails.push(mail) });
  servers.push(server);
  const { api } = await enter(server, EMAIL);
  const { auth, mfa } = server.anonymous;
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const login = (password = PASSWORD) => auth.login({ email: EMAIL, password });
  return {
    ...server,
    api,
    mails,
    now: () => time,
    advance: (ms: number) => {
      server.advance(ms);
      time += ms;
    },
    login,
    verify: (mfa_token: string, code: string) => mfa.verify({ mfa_token, code }),
    /** The token of a login that waits for a code. */
    challenge: async (): Promise<string> => (await refused(login())).details.mfa_token,
  };
}

/** A server with one user, who has confirmed an authenticator app. */
async function startWithApp() {
  const server = await start();
  const { secret, otpauth_url } = await server.api.mfa.start();
  expect(otpauth_url).toContain(`secret=${secret}`);
  const code = (drift = 0) => totpCode(secret, totpStep(server.now()) + drift);
  const { recovery_codes } = await server.api.mfa.confirm({ code: code() });
  // The code that confirmed the app cannot be used again.
  server.advance(MINUTE_MS);
  return { ...server, secret, code, recovery: recovery_codes };
}

test('a login with a second factor takes the password first and then a code', async () => {
  const { login, verify, code, withToken, api } = await startWithApp();
  const refusal = await refused(login());
  expect(refusal).toMatchObject({
    code: 'MFA_REQUIRED',
    details: { mfa_token: expect.stringMatching(/^mfa_/), expires_in: 300 },
  });
  const { access_token } = await verify(refusal.details.mfa_token, code());
  expect((await withToken(access_token).auth.me()).email).toBe(EMAIL);
  expect(await api.mfa.get()).toMatchObject({ totp: 'on', recovery_codes_left: 10 });
  expect(await codeOf(login('wrong password'))).toBe('INVALID_CREDENTIALS');
});

test('each code works once, and codes of the previous and next time step are accepted', async () => {
  const { verify, challenge, code, advance } = await startWithApp();
  const token = await challenge();
  expect(await codeOf(verify(token, code(-1)))).toBe('OK');
  expect(await codeOf(verify(token, code(-1)))).toBe('INVALID_MFA_CODE');
  expect(await codeOf(verify(token, code()))).toBe('OK');
  expect(await codeOf(verify(token, code(1)))).toBe('OK');
  advance(30_000);
  expect(await codeOf(verify(token, code()))).toBe('INVALID_MFA_CODE');
  advance(30_000);
  expect(await codeOf(verify(token, code(2)))).toBe('INVALID_MFA_CODE');
});

test('each recovery code works once, with or without dashes, in either case', async () => {
  const { verify, challenge, recovery, api } = await startWithApp();
  const verifyNew = async (code: string) => codeOf(verify(await challenge(), code));
  expect(new Set(recovery).size).toBe(10);
  expect(recovery[0]).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  expect(await verifyNew(recovery[0]!.toUpperCase().replaceAll('-', ' '))).toBe('OK');
  expect(await verifyNew(recovery[0]!)).toBe('INVALID_MFA_CODE');
  expect((await api.mfa.get()).recovery_codes_left).toBe(9);
  const renewed = await api.mfa.renewRecoveryCodes();
  expect(await verifyNew(recovery[1]!)).toBe('INVALID_MFA_CODE');
  expect(await verifyNew(renewed.recovery_codes[1]!)).toBe('OK');
});

test('the token of a login that waits for a code expires after 5 minutes or when the password changes', async () => {
  const { verify, challenge, code, advance, api } = await startWithApp();
  const old = await challenge();
  advance(5 * MINUTE_MS);
  expect(await codeOf(verify(old, code()))).toBe('INVALID_MFA_TOKEN');
  const token = await challenge();
  const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const bad of [forged, 'mfa_', 'x', token.slice(4)]) {
    expect(await codeOf(verify(bad, code()))).toBe('INVALID_MFA_TOKEN');
  }
  await api.auth.changePassword({ current_password: PASSWORD, new_password: 'another password' });
  expect(await codeOf(verify(token, code()))).toBe('INVALID_MFA_TOKEN');
});

test('guesses at codes are limited even with the right password', async () => {
  const { verify, challenge, code, db } = await startWithApp();
  for (let count = 0; count < 10; count++) {
    expect(await codeOf(verify(await challenge(), '000000'))).toBe('INVALID_MFA_CODE');
  }
  const limited = await refused(verify(await challenge(), code()));
  expect([limited.code, limited.headers['retry-after']]).toEqual(['RATE_LIMIT_EXCEEDED', '1']);
  const failed = await db
    .selectFrom('audit_entries')
    .select('id')
    .where('action', '=', 'auth.login_failed')
    .execute();
  expect(failed).toHaveLength(10);
});

test('concurrent guesses at codes are limited', async () => {
  const { verify, challenge } = await startWithApp();
  const token = await challenge();
  const codes = await Promise.all(
    Array.from({ length: 15 }, (_, index) => codeOf(verify(token, `${100_000 + index}`))),
  );
  expect(codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(5);
});

test('a code that arrives on many connections at once opens one session', async () => {
  const { verify, challenge, code, recovery, api } = await startWithApp();
  const before = (await api.sessions.list()).length;
  for (const secret of [code(), recovery[0]!]) {
    const tokens = await Promise.all(Array.from({ length: 8 }, challenge));
    const answers = await Promise.all(
      tokens.map((token) =>
        verify(token, secret).then(
          () => 'in',
          (error: unknown) => (error as { readonly code: string }).code,
        ),
      ),
    );
    expect(answers.filter((answer) => answer === 'in')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'INVALID_MFA_CODE')).toHaveLength(7);
  }
  expect(await api.sessions.list()).toHaveLength(before + 2);
});

test('a login needs no code before the app is confirmed', async () => {
  const { api, login } = await start();
  const { mfa } = api;
  expect(await codeOf(mfa.confirm({ code: '000000' }))).toBe('MFA_NOT_STARTED');
  expect(await codeOf(mfa.remove())).toBe('MFA_NOT_ON');
  await mfa.start();
  expect(await mfa.get()).toEqual({
    totp: 'pending',
    confirmed_at: null,
    recovery_codes_left: 0,
    required: false,
  });
  expect(await codeOf(mfa.confirm({ code: '000000' }))).toBe('INVALID_MFA_CODE');
  expect(await codeOf(login())).toBe('OK');
  expect(await codeOf(mfa.renewRecoveryCodes())).toBe('MFA_NOT_ON');
  await mfa.remove();
  expect((await mfa.get()).totp).toBe('off');
});

test('changing the second factor requires a recent login with a code', async () => {
  const { api, advance, code, login } = await startWithApp();
  const { mfa, auth } = api;
  expect(await codeOf(mfa.start())).toBe('MFA_ALREADY_ON');
  advance(5 * MINUTE_MS);
  for (const change of [mfa.remove, mfa.renewRecoveryCodes, mfa.start]) {
    expect(await codeOf(change())).toBe('REAUTHENTICATION_REQUIRED');
  }
  const password = PASSWORD;
  expect(await codeOf(auth.reauthenticate({ password }))).toBe('MFA_REQUIRED');
  expect(await codeOf(auth.reauthenticate({ password, code: '000000' }))).toBe('INVALID_MFA_CODE');
  await auth.reauthenticate({ password, code: code() });
  await mfa.remove();
  expect(await codeOf(login())).toBe('OK');
});

test('people get an email when a second factor that they had confirmed is turned off', async () => {
  const { api, mails } = await startWithApp();
  await api.mfa.remove();
  await api.mfa.start();
  await api.mfa.remove();
  await expect
    .poll(() => mails.map(({ to, subject }) => [to, subject]))
    .toEqual([[EMAIL, 'Your second factor was turned off']]);
  await api.auth.changePassword({ current_password: PASSWORD, new_password: 'another horse' });
  await expect
    .poll(() => mails.map(({ subject }) => subject))
    .toEqual(['Your second factor was turned off', 'Your password was changed']);
});

test('the database contains no secret and no recovery code in plain text', async () => {
  const { db, secret, recovery } = await startWithApp();
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
