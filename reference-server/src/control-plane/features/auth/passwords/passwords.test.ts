import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { codeOf, refused } from '../../../../../test/api-call.ts';
import { enter, PASSWORD, startEmptyServer } from '../../../../../test/server.ts';
import { HOUR_MS } from '../../../../lib/durations.ts';
import type { OutgoingMail as Mail } from '../../../../outbound/send-mail.ts';

const EMAIL = 'ada@example.com';
const NEW_PASSWORD = 'a third horse';

let server: Awaited<ReturnType<typeof startEmptyServer>>;
let anonymous: Api;
/** The user's session. */
let api: Api;
let mails: Mail[];

beforeEach(async () => {
  await start({});
});
afterEach(() => server.close());

async function start(options: Parameters<typeof startEmptyServer>[0]): Promise<void> {
  mails = [];
  server = await startEmptyServer({ sendMail: async (mail) => void mails.push(mail), ...options });
  ({ anonymous } = server);
  ({ api } = await enter(server, EMAIL));
}

/** Restarts with `FLAGSVC_PASSWORD_BLOCKLIST=on`. */
async function restartWithBlocklist(): Promise<void> {
  await server.close();
  await start({ passwordBlocklist: true });
}

/** Requests a password reset; returns the token from the email. */
async function requestReset(): Promise<string> {
  const tokens = () => mails.flatMap(({ text }) => /#token=(rst_\S+)/.exec(text)?.[1] ?? []);
  const before = tokens();
  await anonymous.auth.forgotPassword({ email: EMAIL });
  await expect.poll(() => tokens().length).toBe(before.length + 1);
  return tokens().find((token) => !before.includes(token))!;
}

/** Creates an invitation; returns its token. */
async function invite(email: string): Promise<string> {
  const [organization] = await api.organizations.list();
  const { accept_url } = await api.invitations.create(organization!.id, { email, role: 'viewer' });
  return /#token=(\S+)/.exec(accept_url!)![1]!;
}

const createToken = async () =>
  server.withToken((await api.personalTokens.create({ name: 'script', scopes: ['read'] })).token!);
const login = async (password: string) =>
  server.withToken((await anonymous.auth.login({ email: EMAIL, password })).access_token);

async function expectTooCommon(call: Promise<unknown>, field: string, reason = 'common'): Promise<void> {
  const { code, details } = await refused(call);
  expect([code, details]).toEqual(['PASSWORD_TOO_COMMON', { field, reason }]);
}

test('any password of eight characters is accepted by default', async () => {
  const { register } = anonymous.auth;
  expect(await codeOf(register({ email: 'eve@example.com', password: '12345678' }))).toBe('OK');
  const short = register({ email: 'eva@example.com', password: '1234567' });
  expect(await codeOf(short)).toBe('VALIDATION_ERROR');
});

test('a common password is refused wherever a password is set, and nothing changes', async () => {
  await restartWithBlocklist();
  const { auth } = anonymous;
  const user = { email: 'grace.hopper@example.com', full_name: 'Grace Hopper' };
  const register = (password: string) => auth.register({ ...user, password });
  await expectTooCommon(register('Password123!'), 'password');
  await expectTooCommon(register('Grace.Hopper!'), 'password', 'personal');
  expect(await codeOf(register(NEW_PASSWORD))).toBe('OK');

  const invitation = await invite('guest@example.com');
  const accept = (password: string) => auth.acceptInvitation({ token: invitation, password });
  await expectTooCommon(accept('sunshine'), 'password');
  expect(await codeOf(accept(NEW_PASSWORD))).toBe('OK');

  const change = (new_password: string) =>
    api.auth.changePassword({ current_password: PASSWORD, new_password });
  await expectTooCommon(change('iloveyou'), 'new_password');
  expect(await codeOf(change('another horse'))).toBe('OK');

  const token = await requestReset();
  const reset = (password: string) => auth.resetPassword({ token, password });
  await expectTooCommon(reset('abcdefgh'), 'password', 'sequence');
  expect(await codeOf(reset(NEW_PASSWORD))).toBe('OK');
  expect(await codeOf(login(NEW_PASSWORD))).toBe('OK');
});

test('an existing user who accepts an invitation keeps their password', async () => {
  await anonymous.auth.register({ email: 'old@example.com', password: '12345678' });
  await server.db.deleteFrom('memberships').where('role', '=', 'viewer').execute();
  const invitation = { token: await invite('old@example.com'), password: '12345678' };
  expect(await codeOf(anonymous.auth.acceptInvitation(invitation))).toBe('OK');
});

test('a person gets at most five reset emails an hour, and the answer stays the same', async () => {
  await enter(server, 'guest@example.com');
  const answers: unknown[] = [];
  for (let count = 0; count < 12; count++) {
    const email = count % 2 === 0 ? EMAIL : EMAIL.toUpperCase();
    answers.push(await anonymous.auth.forgotPassword({ email }));
  }
  // Emails are prepared one after the other, so all are prepared when this one is.
  await anonymous.auth.forgotPassword({ email: 'guest@example.com' });
  await expect.poll(() => mails.map(({ to }) => to)).toContain('guest@example.com');
  // They are sent over several connections.
  await expect
    .poll(() => mails.map(({ to }) => to).sort())
    .toEqual([...Array(5).fill(EMAIL), 'guest@example.com']);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  // Only the newest token is valid. Ids are in the order of the emails.
  const newest = mails.filter(({ to }) => to === EMAIL).sort((a, b) => (a.id < b.id ? -1 : 1))[4]!;
  const [, token] = /#token=(\S+)/.exec(newest.text)!;
  await anonymous.auth.resetPassword({ token: token!, password: NEW_PASSWORD });
  server.advance(HOUR_MS);
  expect(await requestReset()).toMatch(/^rst_/);
});

test('a password reset revokes personal tokens, which a thief may have created', async () => {
  const stolen = await createToken();
  const account = await api.serviceAccounts.create({ name: 'deploys', role: 'editor' });
  const created = await api.serviceAccounts.createToken(account.id, { name: 'ci', scopes: ['read'] });
  const program = server.withToken(created.token!);
  for (const client of [stolen, program]) expect(await codeOf(client.projects.list())).toBe('OK');

  const token = await requestReset();
  expect(mails.at(-1)!.text).toContain('personal tokens');
  await anonymous.auth.resetPassword({ token, password: NEW_PASSWORD });
  for (const client of [api, stolen]) expect(await codeOf(client.projects.list())).toBe('INVALID_TOKEN');
  expect(await codeOf(program.projects.list())).toBe('OK');
  const [entry] = await (await login(NEW_PASSWORD)).audit.list({ action: 'auth.password_reset' });
  expect(entry!.changes).toEqual({ revoked_tokens: { from: null, to: 1 } });
});

test.each([
  ['reset', undefined, 'revokes'],
  ['reset', true, 'revokes'],
  ['reset', false, 'keeps'],
  ['change', undefined, 'keeps'],
  ['change', true, 'revokes'],
  ['change', false, 'keeps'],
] as const)('a %s with revoke_tokens %s %s personal tokens', async (way, revoke_tokens, effect) => {
  const script = await createToken();
  if (way === 'reset') {
    const token = await requestReset();
    await anonymous.auth.resetPassword({ token, password: NEW_PASSWORD, revoke_tokens });
  } else {
    const passwords = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await api.auth.changePassword({ ...passwords, revoke_tokens });
  }
  expect(await codeOf(script.projects.list())).toBe(effect === 'keeps' ? 'OK' : 'INVALID_TOKEN');
  const tokens = await (await login(NEW_PASSWORD)).personalTokens.list();
  expect(tokens).toHaveLength(effect === 'keeps' ? 1 : 0);
});
