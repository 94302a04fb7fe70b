import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findKeys, repositoryName, urlTemplateOf } from '../../src/cli/input/scan-code.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let folder: string;
beforeAll(async () => {
  cli = await startCommandLine();
  await cli.login('admin@example.com');
  for (const key of ['dark-mode', 'cta', 'unused', 'retired']) await json('flags', 'create', key);
  await json('flags', 'archive', 'retired', '--yes');
});
afterAll(() => cli.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-refs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function json(...words: string[]) {
  const outcome = await cli.run([...words, '--json']);
  expect(outcome).toMatchObject({ code: 0, err: '' });
  return outcome.json;
}

function write(path: string, text: string | Buffer): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const git = (...words: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

function commitAll(): string {
  git('init', '--initial-branch=trunk');
  git('remote', 'add', 'origin', 'https://user:secret@github.com/acme/shop.git');
  git('add', '.');
  git('commit', '--message=x');
  return git('rev-parse', 'HEAD');
}

test('stores the references in tracked files and lists them by flag', async () => {
  write('src/app.ts', 'const x = 1;\nif (client.boolean("dark-mode", false)) use(`cta`);\n');
  write('src/deep/old.py', 'flags.get(\'retired\')\n# dark-mode without quotes, "dark-mode-2"\n');
  write('image.bin', Buffer.from('\0"dark-mode"'));
  symlinkSync('src/app.ts', join(folder, 'link.ts'));
  const revision = commitAll();
  write('untracked.ts', '"cta"');
  const scanned = await json('refs', 'scan', folder);
  expect(scanned).toEqual({
    repository: 'github.com/acme/shop',
    branch: 'trunk',
    revision,
    url_template: 'https://{repository}/blob/{revision}/{path}#L{line}',
    files: 2,
    references: [
      { flag_key: 'dark-mode', path: 'src/app.ts', line: 2, column: 21 },
      { flag_key: 'cta', path: 'src/app.ts', line: 2, column: 46 },
      { flag_key: 'retired', path: 'src/deep/old.py', line: 1, column: 12 },
    ],
    archived_flag_keys: ['retired'],
    unnamed_flag_keys: ['unused'],
  });
  const url = `https://github.com/acme/shop/blob/${revision}/src/app.ts#L2`;
  expect(await json('refs', 'list', 'dark-mode')).toMatchObject([{ path: 'src/app.ts', line: 2, url }]);
  const { out } = await cli.run(['refs', 'list', 'dark-mode']);
  expect(out).toMatch(/REPOSITORY.*\n.*github\.com\/acme\/shop +trunk +src\/app\.ts:2 +https:/);
});

test('prints the references in a dry run and sends nothing', async () => {
  write('a.ts', '"unused"');
  commitAll();
  const { code, out } = await cli.run(['refs', 'scan', folder, '--dry-run', '--branch', 'tried']);
  expect(code).toBe(0);
  expect(out).toMatch(
    /unused +a\.ts:1:2\nFound 1 reference to 1 flag in 1 file of .*@tried \(\w{12}\); nothing/,
  );
  expect(await json('refs', 'list', 'unused')).toEqual([]);
});

test('scans a folder without git if options name its repository, branch and revision', async () => {
  write('src/a.ts', "'dark-mode'");
  write('node_modules/x/a.js', "'dark-mode'");
  const asked = ['refs', 'scan', folder, '--repository', 'shop', '--branch', 'main'];
  const refused = await cli.run(asked);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Name it with --revision.')]);
  const scanned = await json(...asked, '--revision', '7');
  expect(scanned).toMatchObject({ url_template: null, files: 1, references: [{ path: 'src/a.ts' }] });
  const nowhere = await cli.run(['refs', 'scan', join(folder, 'nowhere')]);
  expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('the folder does not exist.')]);
});

test('takes the branch from CI variables and needs only the code_references:write scope', async () => {
  write('a.ts', '"cta"');
  commitAll();
  git('checkout', '--detach');
  const { api } = await cli.login('admin@example.com');
  const { token } = await api.personalTokens.create({ name: 'ci', scopes: ['code_references:write'] });
  const env = { FLAGSVC_TOKEN: token!, CI_COMMIT_REF_NAME: 'feature/x' };
  const { code, out } = await cli.run(['refs', 'scan', folder], { env });
  expect([code, out]).toEqual([0, expect.stringMatching(/^Stored 1 reference to 1 flag .*@feature\/x /)]);
});

test.each([
  ['client("cta")', [['cta', 9]]],
  [
    '"cta" + \'cta\' + `cta`',
    [
      ['cta', 2],
      ['cta', 10],
      ['cta', 18],
    ],
  ],
  ['it\'s "cta"', [['cta', 7]]],
  ['"cta\' \'cta-x" "CTA" "a cta"', []],
  [
    '{"cta":"dark-mode"}',
    [
      ['cta', 3],
      ['dark-mode', 9],
    ],
  ],
])('finds the keys in %s', (line, expected) => {
  const found = findKeys(`\n${line}\r\n`, new Set(['cta', 'dark-mode']));
  expect(found.map((one) => [one.flag_key, one.column])).toEqual(expected);
  expect(found.every((one) => one.line === 2)).toBe(true);
});

test.each([
  ['git@github.com:acme/shop.git', 'github.com/acme/shop'],
  ['https://token@gitlab.example.com/group/sub/shop.git', 'gitlab.example.com/group/sub/shop'],
  ['ssh://git@git.example.com:2222/acme/shop', 'git.example.com/acme/shop'],
  ['git.example.com:acme/shop', 'git.example.com/acme/shop'],
  ['/srv/git/shop.git', 'shop'],
  ['../shop', 'shop'],
  ['my shop', 'my-shop'],
])('reads the remote %s as %s', (remote, name) => {
  expect(repositoryName(remote)).toBe(name);
});

test('links to a line on the large hosts', () => {
  expect(urlTemplateOf('gitlab.example.com/a/b')).toContain('/-/blob/');
  expect(urlTemplateOf('bitbucket.org/a/b')).toContain('#lines-{line}');
  expect(urlTemplateOf('git.example.com/a/b')).toBeUndefined();
});
