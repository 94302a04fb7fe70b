import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandHelp, overview } from '../../src/cli/help/help.ts';
import type { Terminal } from '../../src/cli/output/terminal.ts';
import { COMMANDS } from '../../src/cli/run/commands.ts';
import { run } from '../../src/cli/run/run.ts';
import type { Api } from '../api.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let api: Api;

beforeAll(async () => {
  cli = await startCommandLine();
  ({ api } = await cli.login('admin@example.com'));
  await cli.run(['flags', 'create', 'dark-mode']);
});
afterAll(() => cli.close());

async function requireComments(isRequired: boolean): Promise<void> {
  const { json } = await cli.run(['environments', '--json']);
  const { id } = json.find(({ key }: { key: string }) => key === 'staging');
  await api.environments.update(id, { require_comment: isRequired, comment: 'x' });
}

test('wraps help at the width of the terminal', () => {
  for (const columns of [40, 60, 80, 110]) {
    const texts = [overview(COMMANDS, columns), ...COMMANDS.map((command) => commandHelp(command, columns))];
    for (const line of texts.join('\n').split('\n')) {
      // Examples and usage lines are not wrapped, so that they can be copied, and no word is ever broken.
      const isFree = /^(Usage:| {2}flagsvc )/.test(line) || !line.trim().includes(' ');
      expect(isFree || line.length <= columns, `${columns}: ${line}`).toBe(true);
    }
  }
});

test('describes each option as its command uses it', async () => {
  const help = async (...words: string[]) =>
    (await cli.run([...words, '--help'])).out.replaceAll(/\s+/g, ' ');
  expect(await help('freeze', 'status')).toContain('--exit-code Exit with 1 if an environment is frozen.');
  expect(await help('diff')).toContain('--exit-code Exit with 1 if there are differences.');
  expect(await help('audit', 'tail')).toContain('--limit <count> Maximum number of rows. Default 20.');
  expect(await help('flags', 'list')).toContain('--limit <count> Maximum number of rows. Default 100.');
  expect(await help('flags', 'list')).toContain('--tag <tag> Only flags with this tag.');
  expect(await help('keys', 'revoke')).not.toContain('--break-glass');
  expect((await cli.run(['flags', 'list', '--tag', 'a', '--tag', 'b'])).code).toBe(2);
});

test('sends a comment in any language, even if the request has no body', async () => {
  await requireComments(true);
  const bare = await cli.run(['flags', 'archive', 'dark-mode', '--yes']);
  expect([bare.code, bare.err]).toEqual([1, expect.stringContaining('Give a reason with --comment.')]);
  const done = await cli.run(['flags', 'archive', 'dark-mode', '--yes', '-m', 'Überholt — 旧い']);
  expect(done).toMatchObject({ code: 0 });
  await requireComments(false);
  const key = await cli.run(['keys', 'create', 'k', '-e', 'staging', '--json']);
  await cli.run(['keys', 'revoke', key.json.id, '--yes', '-m', 'Leaked']);
  const { json } = await cli.run(['audit', 'tail', '--json', '-n', '5']);
  const comments = json.map((entry: { action: string; comment: string }) => [entry.action, entry.comment]);
  expect(comments).toContainEqual(['flag.archived', 'Überholt — 旧い']);
  expect(comments).toContainEqual(['api_key.revoked', 'Leaked']);
  const broken = await cli.run(['keys', 'revoke', 'x', '--yes', '-m', 'a\nb']);
  expect([broken.code, broken.err]).toEqual([
    2,
    'flagsvc: --comment must be a single line for this command.\n',
  ]);
});

test('writes only JSON with --json', async () => {
  for (const words of [['--version'], ['completion', 'bash']]) {
    expect((await cli.run([...words, '--json'])).json).toBeDefined();
  }
  for (const words of [[], ['rules'], ['nonsense']]) {
    const { code, out, err } = await cli.run([...words, '--json']);
    expect({ words, code, out }).toEqual({ words, code: 2, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'USAGE' } });
  }
});

test('reports a full disk and exits with 1', () => {
  const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=@flagsvc/source', main, '--help'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  expect([status, stderr.toString()]).toEqual([
    1,
    'flagsvc: Cannot write to standard output: ENOSPC: no space left on device, write.\n',
  ]);
});

test('exits with 130 on Ctrl-C at a prompt', async () => {
  const interrupted = new AbortController();
  let err = '';
  const terminal: Terminal = {
    env: { FLAGSVC_CONFIG_DIR: cli.folder, FLAGSVC_URL: cli.url, NO_COLOR: '1' },
    platform: 'linux',
    isInteractive: true,
    columns: 80,
    signal: interrupted.signal,
    out: () => {},
    err: (text) => {
      err += text;
    },
    readInput: async () => '',
    async ask() {
      interrupted.abort();
      throw new DOMException('The operation was aborted', 'AbortError');
    },
  };
  expect(await run(['flags', 'archive', 'dark-mode'], terminal, '0.0.0')).toBe(130);
  expect(err).toBe('flagsvc: Interrupted.\n');
});

test('does not print malformed secrets, and reports a server without TLS', async () => {
  const token = await cli.run(['whoami'], { env: { FLAGSVC_TOKEN: 'pat_one\npat_two' } });
  expect([token.code, token.err]).toEqual([
    3,
    expect.stringMatching(/^flagsvc: FLAGSVC_TOKEN contains spaces\b/),
  ]);
  const key = await cli.run(['evaluate', '--user', 'a'], { env: { FLAGSVC_API_KEY: 'sdk-ö\nsdk' } });
  expect([key.code, key.err]).toEqual([
    3,
    expect.stringMatching(/^flagsvc: FLAGSVC_API_KEY contains spaces\b/),
  ]);
  expect(token.err + key.err).not.toMatch(/pat_|sdk-ö/);
  const tls = await cli.run(['whoami'], {
    env: { FLAGSVC_TOKEN: 'x', FLAGSVC_URL: cli.url.replace('http:', 'https:') },
  });
  expect(tls.code).toBe(6);
  expect(tls.err).toMatch(/ cannot be reached: it does not use TLS; try http:\/\/\.\n/);
});
