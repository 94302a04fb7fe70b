import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode, totpStep } from '../../src/control-plane/features/auth/mfa/totp.ts';
import type { Api } from '../api.ts';
import { codeOf } from '../api-call.ts';
import { type CommandLine, PASSWORD, runCommand, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let token: string;
let api: Api;

beforeAll(async () => {
  cli = await startCommandLine();
  ({ token, api } = await cli.login('admin@example.com'));
});
afterAll(() => cli.close());

/** Runs a command with --json, expects success and returns the output. */
async function json(...words: string[]) {
  const outcome = await cli.run([...words, '--json']);
  expect(outcome).toMatchObject({ code: 0, err: '' });
  return outcome.json;
}

test('stores a login in a file that only its user can read, and sends the token only to its server', async () => {
  const file = join(cli.folder, 'credentials.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  expect(stored.current).toBe(cli.url);
  expect(stored.servers[cli.url]).toMatchObject({ email: 'admin@example.com' });
  expect(await json('whoami')).toMatchObject({ url: cli.url, email: 'admin@example.com', role: 'admin' });
  const elsewhere = await cli.run(['whoami'], {
    env: { FLAGSVC_URL: cli.url.replace('127.0.0.1', 'localhost') },
  });
  expect(elsewhere).toMatchObject({ code: 3, out: '' });
  expect(elsewhere.err).toMatch(/You are not logged in to .*\nLog in, .*\n {2}flagsvc login --url http/);
});

test('uses the server of the last login by default', async () => {
  const { code, out } = await cli.run(['whoami'], { env: { FLAGSVC_URL: '' } });
  expect(code).toBe(0);
  expect(out).toContain(`server        ${cli.url}\n`);
});

test('uses the default address of a local server before the first login', async () => {
  const { code, err } = await runCommand(['whoami'], { env: { FLAGSVC_CONFIG_DIR: '/nowhere' } });
  expect(code).toBe(3);
  expect(err).toContain('You are not logged in to http://127.0.0.1:8000.');
});

test('prefers FLAGSVC_TOKEN to a login and accepts an address with the API prefix', async () => {
  const env = { FLAGSVC_CONFIG_DIR: '/nowhere', FLAGSVC_TOKEN: token, FLAGSVC_URL: `${cli.url}/api/v1/` };
  expect((await runCommand(['whoami', '--json'], { env })).json).toMatchObject({
    email: 'admin@example.com',
  });
  const wrong = await cli.run(['whoami'], { env: { FLAGSVC_TOKEN: 'pat_wrong' } });
  expect(wrong.code).toBe(3);
  expect(wrong.err).toContain('The token is that of FLAGSVC_TOKEN. Set a valid one, or unset the variable');
});

test('logs out locally and on the server', async () => {
  const other = await startCommandLine();
  try {
    await other.login('admin@example.com');
    const stored = JSON.parse(readFileSync(join(other.folder, 'credentials.json'), 'utf8'));
    const { access_token } = stored.servers[other.url];
    expect(await other.run(['logout'])).toMatchObject({ code: 0, out: `Logged out of ${other.url}.\n` });
    expect(await codeOf(other.withToken(access_token).auth.me())).toBe('INVALID_TOKEN');
    expect((await other.run(['whoami'])).code).toBe(3);
    expect((await other.run(['logout'])).out).toBe(`You were not logged in to ${other.url}.\n`);
  } finally {
    await other.close();
  }
});

test('renews an expired access token silently', async () => {
  const other = await startCommandLine();
  try {
    await other.login('admin@example.com');
    other.advance(25 * 60 * 60 * 1000);
    expect(await other.run(['whoami'])).toMatchObject({ code: 0, err: '' });
    other.advance(31 * 24 * 60 * 60 * 1000);
    const over = await other.run(['whoami']);
    expect(over.code).toBe(3);
    expect(over.err).toContain('\n  flagsvc login --url ');
  } finally {
    await other.close();
  }
});

test('logs in with a personal access token', async () => {
  const personal = await api.personalTokens.create({ name: 'ci', scopes: ['read'] });
  const folder = join(cli.folder, 'personal');
  const env = { FLAGSVC_CONFIG_DIR: folder };
  expect(await cli.run(['login', '--token-stdin'], { env, stdin: `${personal.token}\n` })).toMatchObject({
    code: 0,
  });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect((await cli.run(['flags', 'list'], { env })).code).toBe(0);
  expect(await cli.run(['flags', 'create', 'not-allowed'], { env })).toMatchObject({ code: 3 });
});

test('stores no login that the server refuses', async () => {
  const env = { FLAGSVC_CONFIG_DIR: join(cli.folder, 'refused') };
  const words = ['login', '--email', 'admin@example.com', '--password-stdin'];
  const refused = await cli.run(words, { env, stdin: 'wrong password\n' });
  expect(refused).toMatchObject({ code: 3, err: 'flagsvc: The e-mail or the password is wrong.\n' });
  expect((await cli.run(['whoami'], { env })).code).toBe(3);
  expect((await cli.run(['login'], { env })).err).toContain('Cannot prompt for e-mail and password');
});

test('asks for an authenticator code only on a terminal', async () => {
  const account = { email: 'careful@example.com', password: PASSWORD };
  await api.auth.register(account);
  const { access_token } = await api.auth.login(account);
  const { mfa } = cli.withToken(access_token);
  const { secret } = await mfa.start();
  await mfa.confirm({ code: totpCode(secret, totpStep(Date.now())) });
  const words = ['login', '--email', 'careful@example.com', '--password-stdin'];
  const env = { FLAGSVC_CONFIG_DIR: join(cli.folder, 'careful') };
  const refused = await cli.run(words, { env, stdin: PASSWORD });
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('a code from your authenticator app');
  expect(refused.err).toContain('FLAGSVC_TOKEN');
});

test('creates, shows, toggles, rolls out and archives a flag', async () => {
  expect(await json('flags', 'create', 'new-checkout', '--tag', 'checkout', '--tag', 'web')).toMatchObject({
    key: 'new-checkout',
    enabled: false,
    default_variation: 'off',
    tags: ['checkout', 'web'],
  });
  const on = await cli.run(['flags', 'toggle', 'new-checkout', 'on', '-e', 'staging', '-m', 'Launch']);
  expect(on).toMatchObject({ code: 0, out: 'new-checkout is on in staging.\n' });
  const rollout = ['flags', 'rollout', 'new-checkout', '-e', 'staging'];
  expect(await json(...rollout, 'on=25')).toMatchObject({
    targeting_rules: [{ conditions: [], percentage_rollout: [{ variation: 'on', percentage: 25 }] }],
  });
  const more = await json(...rollout, 'on=50%', 'off=50');
  expect(more.targeting_rules).toHaveLength(1);
  expect(more.targeting_rules[0].percentage_rollout).toHaveLength(2);
  const shown = await cli.run(['flags', 'get', 'new-checkout', '-e', 'staging']);
  expect(shown.out).toContain('always  on 50%, off 50%');
  expect((await json('flags', 'get', 'new-checkout', '-e', 'production')).enabled).toBe(false);
  expect((await cli.run(['flags', 'rollout', 'new-checkout', '50', '-e', 'staging'])).err).toBe(
    'flagsvc: Invalid share "50".\nWrite it as variation=percentage, such as on=25.\n',
  );
  expect((await cli.run(['flags', 'archive', 'new-checkout'])).err).toBe(
    'flagsvc: Confirmation required: Archive new-checkout in every environment, including production.\nTo confirm, repeat the command with --yes:\n  flagsvc flags archive new-checkout --yes\n',
  );
  expect(await cli.run(['flags', 'archive', 'new-checkout', '--yes'])).toMatchObject({ code: 0 });
  expect(await json('flags', 'list', '--status', 'archived')).toMatchObject([{ key: 'new-checkout' }]);
});

test('creates and activates a draft', async () => {
  const made = await cli.run(['flags', 'create', 'prepared', '--draft']);
  expect(made.out).toMatch(/^Created draft prepared\. .*\n {2}flagsvc flags activate prepared\n$/);
  expect((await cli.run(['flags', 'activate', 'prepared'])).err).toContain(
    'To confirm, repeat the command with --yes:\n  flagsvc flags activate prepared --yes\n',
  );
  const activated = await cli.run(['flags', 'activate', 'prepared', '--yes']);
  expect(activated).toMatchObject({ code: 0, out: 'prepared is active.\n' });
  expect(await json('flags', 'get', 'prepared')).toMatchObject({ status: 'active', enabled: false });
  expect((await cli.run(['flags', 'activate', 'prepared', '--yes'])).code).not.toBe(0);
});

test('creates flags of other types, and creates none with --dry-run', async () => {
  const cta = [
    'flags',
    'create',
    'cta',
    '--type',
    'string',
    '--variation',
    'a=Buy now',
    '--variation',
    'b=1',
  ];
  const plan = await cli.run([...cta, '--dry-run']);
  expect(plan.out).toMatch(
    /^Would create flag cta in development:\n(.|\n)*\n {2}add variation: a = "Buy now"\n/,
  );
  expect((await cli.run(['flags', 'get', 'cta'])).code).toBe(4);
  expect((await json(...cta, '--default', 'a')).variations).toMatchObject([
    { value: 'Buy now' },
    { value: '1' },
  ]);
  const limits = await json('flags', 'create', 'limits', '--type', 'json', '--variation', 'low={"n": [1]}');
  expect(limits.variations[0].value).toEqual({ n: [1] });
  const bad = await cli.run(['flags', 'create', 'number', '--type', 'number', '--variation', 'a=one']);
  expect(bad).toMatchObject({ code: 2, err: 'flagsvc: Invalid --variation a: one is not JSON.\n' });
});

test('suggests similar keys if a key does not exist', async () => {
  await json('flags', 'create', 'dark-mode');
  const { code, err } = await cli.run(['flags', 'get', 'darkmode']);
  expect({ code, err }).toEqual({
    code: 4,
    err: 'flagsvc: There is no flag "darkmode" in project default.\nDid you mean dark-mode?\n',
  });
  expect((await cli.run(['flags', 'list', '-e', 'prodution'])).err).toContain('Did you mean production?');
  expect((await cli.run(['flags', 'list', '-p', 'x'])).err).toContain('Available: default.');
  const toggle = await cli.run(['flags', 'toggle', 'dark-mode', 'on']);
  expect(toggle).toMatchObject({ code: 2 });
  expect(toggle.err).toContain('Name one with --environment: development, staging, production.');
  const rollout = await cli.run(['flags', 'rollout', 'dark-mode', 'onn=5', '-e', 'staging']);
  expect(rollout.err).toContain('Did you mean on?');
});

test('filters lists and says when there are more flags', async () => {
  const { out } = await cli.run(['flags', 'list', '--limit', '1']);
  expect(out).toMatch(
    /^Flags of development in project default:\n\nFLAG +ON +STATUS.*\n\S+ .*\n1 of \d+; use --limit to see more\.\n$/,
  );
  expect(await json('flags', 'list', '--search', 'dark', '--type', 'boolean')).toMatchObject([
    { key: 'dark-mode' },
  ]);
  expect(await json('projects')).toMatchObject([{ key: 'default' }]);
  expect((await json('environments')).map((one: { key: string }) => one.key)).toContain('production');
});

test('removes control characters from names', async () => {
  await json('flags', 'create', 'painted', '--name', 'red \u001b[31m\u202etext');
  const { out } = await cli.run(['flags', 'get', 'painted']);
  expect(out).toContain('name           red \ufffd[31m\ufffdtext');
});

test('gives a key rate limits of its own, and takes them back', async () => {
  const words = ['keys', 'create', 'limited', '-e', 'development', '--rate-limit', 'ruleset=400'];
  const { json: made } = await cli.run([...words, '--rate-limit', 'events=2000,stream=90', '--json']);
  expect(made.rate_limits).toEqual({ ruleset: 400, events: 2_000, stream: 90 });
  const update = (limit: string) => cli.run(['keys', 'update', made.id, '--rate-limit', limit, '-y']);
  expect((await update('ruleset=900')).out).toBe(
    `Changed ${made.id} of development. Its own rate limits: ruleset=900.\n`,
  );
  expect((await update('none')).out).toContain('Its own rate limits: none.');
  expect(await update('ruleset')).toMatchObject({ code: 2, err: expect.stringContaining('name=number') });
  expect(await update('ruleset=1,ruleset=2')).toMatchObject({
    code: 2,
    err: expect.stringContaining('twice'),
  });
  expect((await update('rules=5')).err).toContain('rules');
  expect((await cli.run(['keys', 'update', made.id])).err).toContain('Nothing to change');
  await cli.run(['keys', 'revoke', made.id, '-y']);
});

test('creates, lists and revokes keys, and evaluates with one', async () => {
  const made = await cli.run(['keys', 'create', 'service', '-e', 'staging']);
  expect(made.out).toMatch(/^sdk-staging-\w{38}\n$/);
  expect(made.err).toContain('it is not shown again');
  const env = { FLAGSVC_API_KEY: made.out.trim() };
  const words = ['evaluate', 'dark-mode', 'nothing', '--user', 'ada', '-a', 'age=36'];
  const { json: answer } = await cli.run([...words, '--json'], { env });
  expect(answer.evaluations).toMatchObject({
    'dark-mode': { value: false, reason: 'DISABLED' },
    nothing: { value: null, reason: 'FLAG_NOT_FOUND' },
  });
  expect((await cli.run(words, { env })).out).toMatch(/dark-mode +false +off +DISABLED +-/);
  expect((await cli.run(words)).err).toContain('Set FLAGSVC_API_KEY');
  const [key] = await json('keys', 'list', '-e', 'staging');
  expect(await cli.run(['keys', 'revoke', key.id, '-y'])).toMatchObject({ code: 0 });
  expect((await cli.run(words, { env })).code).toBe(3);
  expect(await json('keys', 'list', '-e', 'staging')).toMatchObject([{ status: 'revoked' }]);
});

test('explains what a user gets, rule by rule', async () => {
  await json('flags', 'create', 'explained');
  await json('flags', 'rollout', 'explained', 'on=100', '-e', 'development');
  await json('flags', 'toggle', 'explained', 'on', '-e', 'development');
  const words = ['explain', 'explained', '-e', 'development', '--user', 'ada'];
  const { explanations } = await json(...words);
  expect(explanations['explained']).toMatchObject({ result: { value: true, reason: 'PERCENTAGE_ROLLOUT' } });
  const { out } = await cli.run(words);
  expect(out).toMatch(
    /^explained in development: true \(variation on\), because rule 1 matches \(PERCENTAGE_ROLLOUT\)\n/,
  );
  expect(out).toMatch(/1 {2}always +yes\n +buckets: on 0 to 99 +bucket \d+\n$/);
  expect((await cli.run(['explain', 'dark-mode'])).err).toContain('Name one with --user');
});

test('shows a freeze and overrides it with a reason', async () => {
  expect((await cli.run(['freeze', 'status', '-e', 'production'])).out).toBe('production is not frozen.\n');
  const starts_at = new Date(Date.now() - 60_000).toISOString();
  const scope = { environment_types: ['production' as const] };
  const times = { starts_at, ends_at: '2099-01-01T00:00:00Z' };
  const window = await api.freezeWindows.create({ name: 'Black Friday', ...times, scope });
  const status = await cli.run(['freeze', 'status', '-e', 'production', '--exit-code']);
  expect(status.code).toBe(1);
  expect(status.out).toMatch(/^production is frozen\. Next change: 2099.*\n\nWINDOW[^\n]*\nBlack Friday /);
  const toggle = ['flags', 'toggle', 'dark-mode', 'on', '-e', 'production', '-y', '-m', 'Needed'];
  const refused = await cli.run(toggle);
  expect(refused.code).toBe(5);
  expect(refused.err).toContain('repeat the command with --break-glass');
  const reason = 'The shop is down without this flag';
  const carried = await cli.run([...toggle, '--break-glass', reason]);
  expect(carried).toMatchObject({ code: 0, out: 'dark-mode is on in production.\n' });
  await api.freezeWindows.end(window.id, { comment: 'Over' });
});

test('shows the end of the audit log, follows it, and ends at Ctrl-C', async () => {
  const entries = await json('audit', 'tail', '--action', 'flag.toggled', '-n', '2');
  expect(entries.at(-1)).toMatchObject({
    action: 'flag.toggled',
    via: 'cli',
    resource: { key: 'dark-mode' },
  });
  const { out } = await cli.run(['audit', 'tail', '-n', '1', '--action', 'flag.toggled']);
  expect(out).toMatch(
    /admin@example.com +flag.toggled +dark-mode in production +turn it on; “Needed” +evt_\w+\n$/,
  );
  const created = await cli.run(['audit', 'tail', '-n', '1', '--action', 'flag.created']);
  expect(created.out).toMatch(/ name: "[\w-]+"; add variation: .+ +evt_\w+\n$/);
  const following = cli.run(['audit', 'tail', '-f', '-n', '1'], { interruptAt: 'followed' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await json('flags', 'create', 'followed');
  expect(await following).toMatchObject({ code: 0, err: '' });
});

test('writes errors as JSON with --json, with the code of the API', async () => {
  await json('flags', 'create', 'twice');
  const { code, out, err } = await cli.run(['flags', 'create', 'twice', '--json']);
  expect({ code, out }).toEqual({ code: 5, out: '' });
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'FLAG_KEY_CONFLICT' } });
  const invalid = await cli.run(['flags', 'create', 'Not A Key']);
  expect(invalid.code).toBe(1);
  expect(invalid.err).toMatch(/^flagsvc: The request is not valid:\n {2}key: /);
});

test('reports an address that is unreachable, invalid, or not that of a flagsvc server', async () => {
  const nowhere = await cli.run(['whoami'], {
    env: { FLAGSVC_URL: 'http://127.0.0.1:1', FLAGSVC_TOKEN: 'x' },
  });
  expect(nowhere.code).toBe(6);
  expect(nowhere.err).toMatch(
    /^flagsvc: http:\/\/127\.0\.0\.1:1 cannot be reached: .*\n.*--url or FLAGSVC_URL/,
  );
  const docs = await cli.run(['whoami', '--url', `${cli.url}/docs`], { env: { FLAGSVC_TOKEN: 'x' } });
  expect([docs.code, docs.err]).toEqual([
    4,
    expect.stringContaining('Is this the address of the server itself?'),
  ]);
  expect((await cli.run(['whoami', '--url', 'localhost:8000'])).code).toBe(2);
});

test('reports errors of the command line', async () => {
  const says = async (...words: string[]) => {
    const { code, out, err } = await cli.run(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    return err;
  };
  expect(await says('flag', 'list')).toContain('There is no command "flag list".\nDid you mean flags list?');
  expect(await says('flags', 'togle', 'x')).toContain('Did you mean flags toggle?');
  expect(await says('flags', 'list', '--projct', 'x')).toContain(
    'There is no option --projct.\nDid you mean --project?',
  );
  expect(await says('whoami', '--follow')).toContain('flagsvc whoami does not accept --follow.');
  expect(await says('flags', 'toggle', 'x')).toContain('flagsvc flags toggle needs <state>.');
  expect(await says('flags', 'toggle', 'x', 'maybe')).toContain('Use one of on, off.');
  expect(await says('flags', 'list', '--status', 'new')).toContain(
    'Invalid --status "new". Use one of active',
  );
  expect(await says('flags', 'list', '--search')).toContain('--search needs a value.');
  expect(await says('whoami', 'really')).toContain('Unexpected argument "really" for flagsvc whoami.');
  expect(await says()).toContain('Usage: flagsvc <command>');
});

test('prints help and the version', async () => {
  const help = await cli.run(['--help']);
  expect(help.out).toMatch(/\n {2}flags +list, get, create, toggle, /);
  expect(help.out).toContain('flagsvc-typegen');
  expect((await cli.run(['flags', 'rollout', '--help'])).out).toContain(
    'flagsvc flags rollout new-checkout on=25',
  );
  expect((await cli.run(['help', 'flags'])).out).toContain('flags archive <flag>');
  expect((await cli.run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+/);
});

test('rejects a corrupt credentials file', async () => {
  const folder = join(cli.folder, 'personal');
  writeFileSync(join(folder, 'credentials.json'), '{');
  const { code, err } = await cli.run(['whoami'], { env: { FLAGSVC_CONFIG_DIR: folder } });
  expect(code).toBe(1);
  expect(err).toMatch(/Cannot use \S+credentials\.json: it is not JSON\.\nRemove it and log in again/);
});

test('refuses an old Node in one line', () => {
  const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
  const old = `Object.defineProperty(process.versions, 'node', { value: '20.19.0' });`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(old)}`, main, 'whoami'],
    { encoding: 'utf8', env: { PATH: process.env['PATH'] } },
  );
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^flagsvc needs Node\.js 22\.12 or newer; this is v[^\n]+\.\n$/);
});
