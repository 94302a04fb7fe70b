import { afterEach, beforeEach, expect, test } from 'vitest';
import { newDatabase, type SharedDatabase } from './database.ts';
import { startServer } from './server-process.ts';

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
