import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { totpCode, totpStep } from '../src/control-plane/features/auth/mfa/totp.ts';
import { createApi } from './api.ts';
import { codeOf } from './api-call.ts';
import { isOnPostgres, newDatabase, type SharedDatabase } from './database.ts';
import { enter } from './server.ts';
import { startServer } from './server-process.ts';
import { createHttpTransport } from './transports.ts';

let database: SharedDatabase;
beforeEach(async () => {
  database = await newDatabase();
});
afterEach(() => database.remove());

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse';

/** Runs `flagsvc-server reset-password`; returns the exit code and the output. */
async function reset(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = ['reset-password', ...args];
  const { exit, output } = startServer({ FLAGSVC_DATABASE_URL: database.url, ...env }, { command });
  return { code: await exit, ...output };
}

test('resets a password while the server runs, and prints a link on request', async () => {
  const server = startServer({ FLAGSVC_DATABASE_URL: database.url });
  const api = `${await server.url}/api/v1`;
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${api}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const login = async (password: string) => {
    const answer = await post('/auth/login', { email: EMAIL, password });
    const { data } = (await answer.json()) as { data?: { access_token: string } };
    return { status: answer.status, authorization: `Bearer ${data?.access_token}` };
  };
  await expect.poll(() => server.output.out).toContain('No user yet: register at http://');
  await post('/auth/register', { email: EMAIL, password: PASSWORD });
  const { authorization } = await login(PASSWORD);

  expect(await reset(['adda@example.com'])).toEqual({
    code: 1,
    out: '',
    err: 'There is no user with the email "adda@example.com". Did you mean ada@example.com?\n',
  });
  const done = await reset(['ADA@example.com']);
  expect([done.code, done.err]).toEqual([0, '']);
  const [, password] = /^ {2}(\S+)$/m.exec(done.out)!;
  expect((await login(PASSWORD)).status).toBe(401);
  expect((await fetch(`${api}/auth/me`, { headers: { authorization } })).status).toBe(401);
  const again = await login(password!);
  expect(again.status).toBe(200);

  const audit = await fetch(`${api}/audit-log?action=auth.password_reset`, {
    headers: { authorization: again.authorization },
  });
  const { data } = (await audit.json()) as { data: readonly { actor: object }[] };
  expect(data).toMatchObject([{ actor: { kind: 'system', name: 'operator' }, resource: { key: EMAIL } }]);
  expect(JSON.stringify(data)).not.toContain(password);

  const { out } = await reset([EMAIL, '--link']);
  const [, token] = /#token=(\S+)/.exec(out)!;
  expect((await post('/auth/password/reset', { token, password: 'another horse' })).status).toBe(204);
  expect((await login('another horse')).status).toBe(200);
  server.child.kill('SIGTERM');
  await server.exit;
  expect(server.output.out).not.toContain(password);
});

test('ends a second factor and personal tokens, or leaves them, as the operator says', async () => {
  const server = startServer({ FLAGSVC_DATABASE_URL: database.url });
  const transport = createHttpTransport(await server.url);
  const anonymous = createApi({ transport });
  const { api, accessToken } = await enter({ call: transport }, EMAIL);
  const { secret } = await api.mfa.start();
  await api.mfa.confirm({ code: totpCode(secret, totpStep(Date.now())) });
  const { token } = await api.personalTokens.create({ name: 'script', scopes: ['read'] });
  const script = createApi({ transport, token: token! });
  const passwordOf = (out: string) => /^ {2}(\S+)$/m.exec(out)![1]!;
  const login = (password: string) => anonymous.auth.login({ email: EMAIL, password });

  const kept = await reset([EMAIL, '--keep-tokens']);
  expect(kept.out).toContain('0 personal tokens were revoked. Logging in still takes the second factor');
  expect(await codeOf(login(passwordOf(kept.out)))).toBe('MFA_REQUIRED');
  expect(await codeOf(createApi({ transport, token: accessToken }).auth.me())).toBe('INVALID_TOKEN');
  expect(await codeOf(script.projects.list())).toBe('OK');

  const removed = await reset([EMAIL, '--remove-mfa']);
  expect(removed.out).toContain('1 personal token was revoked. The second factor was removed.');
  expect(await codeOf(login(passwordOf(removed.out)))).toBe('OK');
  expect(await codeOf(script.projects.list())).toBe('INVALID_TOKEN');
  server.child.kill('SIGTERM');
  await server.exit;
});

test.skipIf(isOnPostgres)('says that another process has locked the database file', async () => {
  const lock = () => new Sqlite(database.url.slice('sqlite:'.length)).exec('begin immediate');
  const locked = expect.stringMatching(/^flagsvc cannot .*database is locked.*\n$/);
  const first = lock();
  const starting = startServer({ FLAGSVC_DATABASE_URL: database.url });
  expect([await starting.exit, starting.output.err]).toEqual([1, locked]);
  first.close();

  const server = startServer({ FLAGSVC_DATABASE_URL: database.url });
  await enter({ call: createHttpTransport(await server.url) }, EMAIL);
  server.child.kill('SIGTERM');
  await server.exit;
  const second = lock();
  expect(await reset([EMAIL])).toEqual({ code: 1, out: '', err: locked });
  second.close();
  expect((await reset([EMAIL])).code).toBe(0);
});

test('refuses a wrong secret, a missing database and contradicting options', async () => {
  const server = startServer({ FLAGSVC_DATABASE_URL: database.url });
  await server.url;
  server.child.kill('SIGTERM');
  await server.exit;
  expect((await reset([EMAIL])).err).toContain('There is no user yet');
  expect(await reset([EMAIL], { FLAGSVC_API_SECRET_KEY: 'b'.repeat(32) })).toMatchObject({
    code: 1,
    err: expect.stringContaining('FLAGSVC_API_SECRET_KEY differs'),
  });
  const FLAGSVC_DATABASE_URL = 'sqlite:/no/such/folder/flags.db';
  expect((await reset([EMAIL], { FLAGSVC_DATABASE_URL })).err).toMatch(/^There is no database at \/no\/such/);
  expect((await reset([EMAIL, '--link', '--remove-mfa'])).err).toContain('leave out');
  expect((await reset([])).err).toContain('needs <email>');
});
