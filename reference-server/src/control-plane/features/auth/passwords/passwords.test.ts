import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, enter, PASSWORD, startEmptyServer } from '../../../../../test/server.ts';
import type { Mail } from '../../../mail/mailer.ts';

const EMAIL = 'ada@example.com';
const NEW_PASSWORD = 'a third horse';

let server: Awaited<ReturnType<typeof startEmptyServer>>;
let mails: Mail[];
/** The access token of the user's session. */
let token: string;

beforeEach(async () => {
  await start({});
});
afterEach(() => server.close());

async function start(options: Parameters<typeof startEmptyServer>[0]): Promise<void> {
  mails = [];
  server = await startEmptyServer({ sendMail: async (mail) => void mails.push(mail), ...options });
  token = (await enter(server, EMAIL)).accessToken;
}
/** A server with `FLAGSVC_PASSWORD_BLOCKLIST=on`. */
async function restartWithBlocklist(): Promise<void> {
  await server.close();
  await start({ passwordBlocklist: true });
}

const post = (url: string, body: object, as?: string) =>
  server.call({ method: 'POST', url, body, ...(as !== undefined && { token: as }) });
const statusWith = async (as: string) => (await server.call({ url: '/projects', token: as })).status;
const sentToken = () => /#token=(\S+)/.exec(mails.at(-1)!.text)![1]!;

async function forgetPassword(): Promise<string> {
  const before = mails.length;
  await post('/auth/password/forgot', { email: EMAIL });
  await expect.poll(() => mails.length).toBe(before + 1);
  return sentToken();
}

async function invite(email: string): Promise<string> {
  const { body } = await server.call({ url: '/organizations', token });
  const url = `/organizations/${body.data[0].id}/invitations`;
  const made = await post(url, { email, role: 'viewer' }, token);
  return /#token=(\S+)/.exec(made.body.data.accept_url)![1]!;
}

function expectTooCommon({ status, body }: Answer, field: string, reason = 'common'): void {
  expect([status, body.error?.code, body.error?.details]).toEqual([
    422,
    'PASSWORD_TOO_COMMON',
    { field, reason },
  ]);
}

test('accepts any password of eight characters without a blocklist', async () => {
  const common = { email: 'eve@example.com', password: '12345678' };
  expect((await post('/auth/register', common)).status).toBe(201);
  const short = await post('/auth/register', { ...common, password: '1234567' });
  expect(short.status).toBe(400);
});

test('refuses a common password wherever one is set, and changes nothing', async () => {
  await restartWithBlocklist();
  const user = { email: 'grace.hopper@example.com', full_name: 'Grace Hopper' };
  expectTooCommon(await post('/auth/register', { ...user, password: 'Password123!' }), 'password');
  expectTooCommon(
    await post('/auth/register', { ...user, password: 'Grace.Hopper!' }),
    'password',
    'personal',
  );
  expect((await post('/auth/register', { ...user, password: NEW_PASSWORD })).status).toBe(201);

  const invitation = await invite('guest@example.com');
  const accept = (password: string) => post('/auth/invitations/accept', { token: invitation, password });
  expectTooCommon(await accept('sunshine'), 'password');
  expect((await accept(NEW_PASSWORD)).status).toBe(201);

  const change = (new_password: string) =>
    post('/auth/password/change', { current_password: PASSWORD, new_password }, token);
  expectTooCommon(await change('iloveyou'), 'new_password');
  expect((await change('another horse')).status).toBe(204);

  const sent = await forgetPassword();
  const reset = (password: string) => post('/auth/password/reset', { token: sent, password });
  expectTooCommon(await reset('abcdefgh'), 'password', 'sequence');
  expect((await reset(NEW_PASSWORD)).status).toBe(204);
  expect((await post('/auth/login', { email: EMAIL, password: NEW_PASSWORD })).status).toBe(200);
});

test('does not check the password of an existing user who accepts an invitation', async () => {
  await post('/auth/register', { email: 'old@example.com', password: '12345678' });
  await server.db.deleteFrom('memberships').where('role', '=', 'viewer').execute();
  const invitation = await invite('old@example.com');
  // The password in the request is ignored: the user has one already.
  const accepted = await post('/auth/invitations/accept', { token: invitation, password: '12345678' });
  expect(accepted.status).toBe(201);
});

test('a reset revokes personal tokens that a thief of the password may have created', async () => {
  const made = await post('/auth/tokens', { name: 'script', scopes: ['read'] }, token);
  const stolen = made.body.data.token;
  expect(await statusWith(stolen)).toBe(200);
  const account = await post('/service-accounts', { name: 'deploys', role: 'editor' }, token);
  const url = `/service-accounts/${account.body.data.id}/tokens`;
  const program = (await post(url, { name: 'ci', scopes: ['read'] }, token)).body.data.token;
  expect(await statusWith(program)).toBe(200);

  const sent = await forgetPassword();
  expect(mails.at(-1)!.text).toContain('personal tokens');
  await post('/auth/password/reset', { token: sent, password: NEW_PASSWORD });
  expect([await statusWith(token), await statusWith(stolen), await statusWith(program)]).toEqual([
    401, 401, 200,
  ]);
  const { accessToken } = await login(NEW_PASSWORD);
  const log = await server.call({ url: '/audit-log?action=auth.password_reset', token: accessToken });
  expect(log.body.data[0].changes).toEqual({ revoked_tokens: { from: null, to: 1 } });
});

test.each([
  ['reset', undefined, 401],
  ['reset', true, 401],
  ['reset', false, 200],
  ['change', undefined, 200],
  ['change', true, 401],
  ['change', false, 200],
] as const)(
  'after a %s with revoke_tokens %s, a personal token gets %i',
  async (way, revoke_tokens, status) => {
    const made = await post('/auth/tokens', { name: 'script', scopes: ['read'] }, token);
    const asked = revoke_tokens === undefined ? {} : { revoke_tokens };
    const answer =
      way === 'reset'
        ? await post('/auth/password/reset', {
            token: await forgetPassword(),
            password: NEW_PASSWORD,
            ...asked,
          })
        : await post(
            '/auth/password/change',
            { current_password: PASSWORD, new_password: NEW_PASSWORD, ...asked },
            token,
          );
    expect(answer.status).toBe(204);
    expect(await statusWith(made.body.data.token)).toBe(status);
    const { accessToken } = await login(NEW_PASSWORD);
    const list = await server.call({ url: '/auth/tokens', token: accessToken });
    expect(list.body.data).toHaveLength(status === 200 ? 1 : 0);
  },
);

async function login(password: string): Promise<{ accessToken: string }> {
  const { body } = await post('/auth/login', { email: EMAIL, password });
  return { accessToken: body.data.access_token };
}
