import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from '../../src/cli/input/parse.ts';
import { COMMANDS } from '../../src/cli/run/commands.ts';
import { type CommandLine, type Outcome, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let token: string;

/** A second project, so that nothing says by itself which one is meant. */
const SHOP = ['-p', 'shop'];
const WHY = 'INC-4711: the checkout is down';

beforeAll(async () => {
  cli = await startCommandLine();
  token = await cli.login('admin@example.com');
  await post('/projects', { key: 'shop', name: 'Shop' });
  await done('flags', 'create', 'cart', ...SHOP);
});
afterAll(() => cli.close());

async function post(path: string, body: object, method = 'POST') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${cli.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  expect(answer.status).toBeLessThan(300);
}

async function done(...words: readonly string[]): Promise<Outcome> {
  const outcome = await cli.run(words);
  expect({ words, code: outcome.code, err: outcome.err }).toMatchObject({ code: 0 });
  return outcome;
}

/** The words of the commands that an outcome shows, read by a shell as when they are pasted. */
function commandsIn({ out, err }: Pick<Outcome, 'out' | 'err'>): readonly (readonly string[])[] {
  const lines = [...`${out}\n${err}`.matchAll(/^ {2}flagsvc (.*)$/gm)].map(([, line]) => line!);
  return lines.map((line) =>
    execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1),
  );
}

/** The only command that is shown; what it means, by the command line's own parser. */
function commandIn(outcome: Outcome): { words: readonly string[]; means: ReturnType<typeof parse> } {
  const [words, ...others] = commandsIn(outcome);
  expect(others, outcome.err).toEqual([]);
  return { words: words!, means: parse(words!, COMMANDS) };
}

/** Runs a command as it was shown, where no variable names a place or a server. */
const paste = (words: readonly string[]) => cli.run(words, { env: { FLAGSVC_URL: '' } });

test('names the environment that is frozen, which another command line would not look at', async () => {
  await done('freeze', 'start', 'Peak', '-e', 'production', ...SHOP, '--until', '2099-01-01T00:00Z');
  const env = { FLAGSVC_ENVIRONMENT: 'production', FLAGSVC_PROJECT: 'shop' };
  const refused = await cli.run(['flags', 'toggle', 'cart', 'on', '--yes'], { env });
  expect(refused.code).toBe(5);
  const { words, means } = commandIn(refused);
  expect(means.command?.name).toBe('freeze status');
  expect(means.options).toMatchObject({ environment: ['production'], project: 'shop' });
  expect((await paste(words)).out).toMatch(/^production is frozen\..*\n\nWINDOW[^\n]*\nPeak /);
});

test('names the frozen environment of what shows in all of them, not the one that was typed', async () => {
  const refused = await cli.run(['flags', 'archive', 'cart', ...SHOP, '--yes']);
  expect(refused.code).toBe(5);
  const { words, means } = commandIn(refused);
  expect(means.options).toMatchObject({ environment: ['production'], project: 'shop' });
  expect((await paste(words)).out).toContain('production is frozen.');
});

test('opens break-glass for the place that was refused', async () => {
  const glass = (await done('break-glass', 'open', '-e', 'staging', ...SHOP, '--justification', WHY)).out;
  const toggle = (state: string) => ['flags', 'toggle', 'cart', state, '-e', 'production', ...SHOP, '--yes'];
  const outside = await cli.run([...toggle('on'), '--break-glass', glass.trim()]);
  const [list, open] = commandsIn(outside);
  expect(parse(open!, COMMANDS).options).toMatchObject({ environment: ['production'], project: 'shop' });
  expect((await paste(list!)).out).toContain('shop/staging');
  const opened = await paste(open!);
  expect(opened.code).toBe(0);
  const { words: close } = commandIn(opened);
  const carried = await cli.run([...toggle('on'), '--break-glass', opened.out.trim()]);
  expect(carried.code).toBe(0);

  const early = await cli.run(['break-glass', 'review', opened.out.trim(), 'justified', '-m', 'Yes']);
  expect(commandIn(early).words).toEqual(close);
  const closed = await paste(close);
  expect(closed.code).toBe(0);
  // The admin who opened it learns that another one has to review it.
  for (const review of commandsIn(closed)) expect((await paste(review)).err).toMatch(/another admin/i);
  const expired = await cli.run([...toggle('off'), '--break-glass', opened.out.trim()]);
  expect(parse(commandIn(expired).words, COMMANDS).options).toMatchObject({
    environment: ['production'],
    project: 'shop',
  });
  expect((await paste(commandIn(expired).words)).code).toBe(0);
});

test('ends a freeze and calls a plan off by what it shows', async () => {
  const staging = ['-e', 'staging', ...SHOP];
  const frozen = await done('freeze', 'start', 'Move', ...staging, '--until', '2099-01-01T00:00Z');
  expect((await paste(commandIn(frozen).words)).out).toMatch(/^Ended Move, /);
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const planned = await done('schedule', 'toggle', 'cart', 'on', '--at', at, ...staging);
  expect((await paste(commandIn(planned).words)).out).toMatch(/^Called off sch_/);
});

test('turns on what it has created where it says, and activates a draft', async () => {
  const { words, means } = commandIn(await done('flags', 'create', 'search', '-p', 'default'));
  expect(means.options.environment).toHaveLength(1);
  const [environment] = means.options.environment!;
  expect(await paste([...words, '--yes'])).toMatchObject({ out: `search is on in ${environment}.\n` });
  const draft = commandIn(await done('flags', 'create', 'later', '--draft', '-p', 'default'));
  expect((await paste([...draft.words, '--yes'])).out).toBe('later is active.\n');
});

test('repeats a command where it was meant, from variables too', async () => {
  await post('/projects', { key: 'api', name: 'API' });
  const env = { FLAGSVC_ENVIRONMENT: 'production', FLAGSVC_PROJECT: 'api' };
  await cli.run(['flags', 'create', 'quota'], { env });
  const refused = await cli.run(['flags', 'toggle', 'quota', 'on'], { env });
  expect(refused.err).toContain('Changes of api/production have to be confirmed.');
  const { words, means } = commandIn(refused);
  expect(means.options).toMatchObject({ environment: ['production'], project: 'api', yes: true });
  expect((await paste(words)).out).toBe('quota is on in production.\n');
});

test('lists flags and rules where they were looked for', async () => {
  const none = await cli.run(['flags', 'get', 'nothing-like-it', '-e', 'staging', ...SHOP]);
  const list = commandIn(none);
  expect(list.means.options).toMatchObject({ environment: ['staging'], project: 'shop' });
  expect((await paste(list.words)).out).toContain('cart');
  const rollout = ['flags', 'rollout', 'cart', 'on=5', '-e', 'staging', ...SHOP, '--rule', 'nothing-like-it'];
  const get = commandIn(await cli.run(rollout));
  expect(get.means.options).toMatchObject({ environment: ['staging'], project: 'shop' });
  expect((await paste(get.words)).out).toMatch(/^environment +staging$/m);
});

test('logs in to the server that was meant, and makes a key in an environment that it names', async () => {
  const other = cli.url.replace('127.0.0.1', 'localhost');
  const { means } = commandIn(await cli.run(['whoami', '--url', other]));
  expect([means.command?.name, means.options.url]).toEqual(['login', other]);
  const bad = await cli.run(['evaluate', '--user', 'ada'], { env: { FLAGSVC_API_KEY: 'sdk-prod-none' } });
  for (const outcome of [bad, await cli.run(['evaluate', '--user', 'ada'])]) {
    const { words, means: create } = commandIn(outcome);
    expect(create.options.environment).toHaveLength(1);
    expect((await paste(words)).out).toMatch(/^sdk-\w+-\w+\n$/);
  }
  const nobody = await cli.run(['evaluate', '--user', 'ada'], { env: { FLAGSVC_CONFIG_DIR: '/nowhere' } });
  expect(commandsIn(nobody)).toEqual([]);
});

test('every example in the help is a command', () => {
  const examples = COMMANDS.flatMap(({ name, examples: all = [] }) => all.map((one) => ({ name, one })));
  expect(examples.length).toBeGreaterThan(20);
  for (const { name, one } of examples) {
    // What stands behind a pipe or a redirection is for the shell.
    const [words] = commandsIn({ out: `  flagsvc ${one.replace(/ [<>|].*$/, '')}\n`, err: '' });
    expect(parse(words!, COMMANDS).command, `${name}: ${one}`).toBeDefined();
  }
});

test('no text of the command line names a command that is not made by commandLine', () => {
  const folder = fileURLToPath(new URL('../../src/cli', import.meta.url));
  const names = new Set(COMMANDS.map(({ name }) => name.split(' ')[0]));
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8').replace(/^ *(\*|\/\*\*|\/\/).*$/gm, '');
      return [...source.matchAll(/flagsvc ([a-z-]+)[^\n]*/g)]
        .filter(([line, word]) => names.has(word!) && !/^flagsvc completion (bash|fish)/.test(line))
        .map(([line]) => `${file}: ${line}`);
    });
  expect(found).toEqual([expect.stringMatching(/^commands\/mfa\.ts: flagsvc mfa confirm was given a code/)]);
});
