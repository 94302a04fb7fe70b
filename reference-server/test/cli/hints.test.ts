import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from '../../src/cli/input/parse.ts';
import { COMMANDS } from '../../src/cli/run/commands.ts';
import type { Api } from '../api.ts';
import { type CommandLine, type Outcome, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let api: Api;

/** Selects the second project. With two projects, the command line selects none by default. */
const SHOP = ['-p', 'shop'];
const WHY = 'INC-4711: the checkout is down';

beforeAll(async () => {
  cli = await startCommandLine();
  ({ api } = await cli.login('admin@example.com'));
  await api.projects.create({ key: 'shop', name: 'Shop' });
  await done('flags', 'create', 'cart', ...SHOP);
});
afterAll(() => cli.close());

async function done(...words: readonly string[]): Promise<Outcome> {
  const outcome = await cli.run(words);
  expect({ words, code: outcome.code, err: outcome.err }).toMatchObject({ code: 0 });
  return outcome;
}

/** The commands in an outcome, split into words by a shell. */
function commandsIn({ out, err }: Pick<Outcome, 'out' | 'err'>): readonly (readonly string[])[] {
  const lines = [...`${out}\n${err}`.matchAll(/^ {2}flagsvc (.*)$/gm)].map(([, line]) => line!);
  return lines.map((line) =>
    execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1),
  );
}

/** The only command in an outcome, parsed by the command line's parser. */
function commandIn(outcome: Outcome): { words: readonly string[]; parsed: ReturnType<typeof parse> } {
  const [words, ...others] = commandsIn(outcome);
  expect(others, outcome.err).toEqual([]);
  return { words: words!, parsed: parse(words!, COMMANDS) };
}

/** Runs a command exactly as it was shown, without variables that select the server or the target. */
const paste = (words: readonly string[]) => cli.run(words, { env: { FLAGSVC_URL: '' } });

test('names the frozen environment even if only a variable selected it', async () => {
  await done('freeze', 'start', 'Peak', '-e', 'production', ...SHOP, '--until', '2099-01-01T00:00Z');
  const env = { FLAGSVC_ENVIRONMENT: 'production', FLAGSVC_PROJECT: 'shop' };
  const refused = await cli.run(['flags', 'toggle', 'cart', 'on', '--yes'], { env });
  expect(refused.code).toBe(5);
  const { words, parsed } = commandIn(refused);
  expect(parsed.command?.name).toBe('freeze status');
  expect(parsed.options).toMatchObject({ environment: ['production'], project: 'shop' });
  expect((await paste(words)).out).toMatch(/^production is frozen\..*\n\nWINDOW[^\n]*\nPeak /);
});

test('names the frozen environment for a change that reaches all environments', async () => {
  const refused = await cli.run(['flags', 'archive', 'cart', ...SHOP, '--yes']);
  expect(refused.code).toBe(5);
  const { words, parsed } = commandIn(refused);
  expect(parsed.options).toMatchObject({ environment: ['production'], project: 'shop' });
  expect((await paste(words)).out).toContain('production is frozen.');
});

test('suggests break-glass commands for the refused target', async () => {
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
  // The admin who opened the session cannot review it.
  for (const review of commandsIn(closed)) expect((await paste(review)).err).toMatch(/another admin/i);
  const expired = await cli.run([...toggle('off'), '--break-glass', opened.out.trim()]);
  expect(parse(commandIn(expired).words, COMMANDS).options).toMatchObject({
    environment: ['production'],
    project: 'shop',
  });
  expect((await paste(commandIn(expired).words)).code).toBe(0);
});

test('shows working commands to end a freeze and cancel a scheduled change', async () => {
  const staging = ['-e', 'staging', ...SHOP];
  const frozen = await done('freeze', 'start', 'Move', ...staging, '--until', '2099-01-01T00:00Z');
  expect((await paste(commandIn(frozen).words)).out).toMatch(/^Ended Move, /);
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const planned = await done('schedule', 'toggle', 'cart', 'on', '--at', at, ...staging);
  expect((await paste(commandIn(planned).words)).out).toMatch(/^Cancelled sch_/);
});

test('shows working commands to turn on a new flag and activate a draft', async () => {
  const { words, parsed } = commandIn(await done('flags', 'create', 'search', '-p', 'default'));
  expect(parsed.options.environment).toHaveLength(1);
  const [environment] = parsed.options.environment!;
  expect(await paste([...words, '--yes'])).toMatchObject({ out: `search is on in ${environment}.\n` });
  const draft = commandIn(await done('flags', 'create', 'later', '--draft', '-p', 'default'));
  expect((await paste([...draft.words, '--yes'])).out).toBe('later is active.\n');
});

test('names the target in the command to repeat, even if only variables selected it', async () => {
  await api.projects.create({ key: 'api', name: 'API' });
  const env = { FLAGSVC_ENVIRONMENT: 'production', FLAGSVC_PROJECT: 'api' };
  await cli.run(['flags', 'create', 'quota'], { env });
  const refused = await cli.run(['flags', 'toggle', 'quota', 'on'], { env });
  expect(refused.err).toContain('Confirmation required: Turn quota on in api/production.');
  const { words, parsed } = commandIn(refused);
  expect(parsed.options).toMatchObject({ environment: ['production'], project: 'api', yes: true });
  expect((await paste(words)).out).toBe('quota is on in production.\n');
});

test('if a flag or a rule is not found, suggests a command that shows the existing ones', async () => {
  const none = await cli.run(['flags', 'get', 'nothing-like-it', '-e', 'staging', ...SHOP]);
  const list = commandIn(none);
  expect(list.parsed.options).toMatchObject({ environment: ['staging'], project: 'shop' });
  expect((await paste(list.words)).out).toContain('cart');
  const rollout = ['flags', 'rollout', 'cart', 'on=5', '-e', 'staging', ...SHOP, '--rule', 'nothing-like-it'];
  const get = commandIn(await cli.run(rollout));
  expect(get.parsed.options).toMatchObject({ environment: ['staging'], project: 'shop' });
  expect((await paste(get.words)).out).toMatch(/^environment +staging$/m);
});

test('names the server to log in to and the environment for a new key', async () => {
  const other = cli.url.replace('127.0.0.1', 'localhost');
  const { parsed } = commandIn(await cli.run(['whoami', '--url', other]));
  expect([parsed.command?.name, parsed.options.url]).toEqual(['login', other]);
  const bad = await cli.run(['evaluate', '--user', 'ada'], { env: { FLAGSVC_API_KEY: 'sdk-prod-none' } });
  for (const outcome of [bad, await cli.run(['evaluate', '--user', 'ada'])]) {
    const { words, parsed: create } = commandIn(outcome);
    expect(create.options.environment).toHaveLength(1);
    expect((await paste(words)).out).toMatch(/^sdk-\w+-\w+\n$/);
  }
  const nobody = await cli.run(['evaluate', '--user', 'ada'], { env: { FLAGSVC_CONFIG_DIR: '/nowhere' } });
  expect(commandsIn(nobody)).toEqual([]);
});

test('parses every example in the help', () => {
  const examples = COMMANDS.flatMap(({ name, examples: all = [] }) => all.map((one) => ({ name, one })));
  expect(examples.length).toBeGreaterThan(20);
  for (const { name, one } of examples) {
    // Pipes and redirections belong to the shell.
    const [words] = commandsIn({ out: `  flagsvc ${one.replace(/ [<>|].*$/, '')}\n`, err: '' });
    expect(parse(words!, COMMANDS).command, `${name}: ${one}`).toBeDefined();
  }
});

test('the sources build every command in a message with commandLine', () => {
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
  expect(found).toEqual([expect.stringMatching(/^commands\/mfa\.ts: flagsvc mfa confirm and a code/)]);
});
