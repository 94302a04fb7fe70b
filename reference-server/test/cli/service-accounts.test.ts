import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;

beforeAll(async () => {
  cli = await startCommandLine();
  await cli.login('admin@example.com');
});
afterAll(() => cli.close());

const run = (...words: string[]) => cli.run(['service-accounts', ...words]);

test('creates an account and a token for a pipeline', async () => {
  expect((await run('list')).out).toBe('There are no service accounts.\n');
  const created = await run('create', 'deploys', '--role', 'editor', '--project', 'default');
  expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^Created svc_\w+\. /) });
  expect((await run('tokens', 'deploys')).out).toBe('The account has no tokens.\n');
  const made = await run('token', 'deploys', '--scope', 'flags:write');
  expect(made.err).toMatch(/^Created token svt_\w+ of deploys, valid until 20\d\d-/);
  expect(made.out).toMatch(/^svc_[0-9A-Za-z]{38}\n$/);
  const env = { FLAGSVC_CONFIG_DIR: '/nowhere', FLAGSVC_TOKEN: made.out.trim() };
  const who = await cli.run(['whoami'], { env });
  expect(who.out).toMatch(/service account {2,}deploys\n/);
  const flag = await cli.run(['flags', 'create', 'shipped'], { env });
  expect(flag).toMatchObject({ code: 0, err: '' });
  const audit = await cli.run(['audit', 'tail', '--action', 'flag.created']);
  expect(audit.out).toMatch(/deploys .*flag\.created|flag\.created.* deploys/);
  const refused = await cli.run(['service-accounts', 'create', 'another'], { env });
  expect(refused.code).toBe(3);
});

test('lists and removes accounts and tokens', async () => {
  await run('create', 'helper', '--agent', '--role', 'editor', '--description', 'writes drafts');
  const secret = (await run('token', 'helper', '--name', 'laptop')).out.trim();
  const list = await run('list');
  expect(list.out).toMatch(/helper +agent +editor +active/);
  const tokens = (await cli.run(['service-accounts', 'tokens', 'helper', '--json'])).json;
  expect(tokens).toMatchObject([{ name: 'laptop', scopes: ['read'], last_four: secret.slice(-4) }]);
  const { id } = (tokens as { id: string }[])[0]!;
  expect((await run('revoke', 'helper', id)).err).toContain(
    `To confirm, repeat the command with --yes:\n  flagsvc service-accounts revoke helper ${id} --yes\n`,
  );
  expect((await run('revoke', 'helper', id, '--yes')).out).toBe(`Revoked ${id}.\n`);
  expect((await run('tokens', 'helper')).out).toBe('The account has no tokens.\n');
  expect((await run('delete', 'helpr', '--yes')).err).toContain('Did you mean helper?');
  expect((await run('delete', 'helper', '--yes')).out).toBe('Deleted helper.\n');
  expect((await run('list')).out).not.toContain('helper');
});

test('lists the ids when several accounts have the same name', async () => {
  await run('create', 'twin');
  await run('create', 'twin');
  const { code, err } = await run('delete', 'twin', '--yes');
  expect(code).toBe(2);
  const ids = /svc_\w+, svc_\w+/.exec(err)![0].split(', ');
  for (const id of ids) expect((await run('delete', id, '--yes')).out).toBe('Deleted twin.\n');
  const gone = await cli.run(['service-accounts', 'delete', 'twin', '--yes', '--json']);
  expect(JSON.parse(gone.err)).toMatchObject({ error: { code: 'SERVICE_ACCOUNT_NOT_FOUND' } });
});

test('refuses an agent as admin', async () => {
  const { code, err } = await run('create', 'robot', '--agent', '--role', 'admin');
  expect(code).not.toBe(0);
  expect(err).toContain('must not be admin for an agent');
});

test('logs in with a service account token', async () => {
  await run('create', 'kept');
  const stdin = (await run('token', 'kept')).out;
  const other = await startCommandLine();
  try {
    const login = await other.run(['login', '--token-stdin', '--url', cli.url], { stdin });
    expect(login.out).toBe(`Logged in to ${cli.url} as kept, viewer.\n`);
  } finally {
    await other.close();
  }
});
