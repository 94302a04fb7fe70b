/** The published package is complete: it runs outside of this repository, and its links lead to its own files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from './helpers.ts';

const project = mkdtempSync(join(tmpdir(), 'flagsvc-kit-'));
const kit = join(project, 'node_modules/@flagsvc/conformance');
afterAll(() => rmSync(project, { recursive: true }));

/** Runs npm, and returns what it prints. */
const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** The folders of the packages that the kit depends on, directly or through others. */
const dependenciesOf = (folder: string): string[] => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const own = Object.keys(dependencies).map((name) => pathOf(`../node_modules/${name}`));
  return [...new Set(own.flatMap((one) => [one, ...dependenciesOf(one)]))];
};

// A real installation into an empty folder. The dependencies are packed from this repository, so it needs no network.
beforeAll(() => {
  if (!existsSync(pathOf('dist/cli.js'))) throw new Error('the kit is not built: run `npm run build` first');
  const packages = mkdtempSync(join(project, 'packages-'));
  npm(packages, 'pack', '--ignore-scripts', pathOf('.'), ...dependenciesOf(pathOf('.')));
  const tarballs = readdirSync(packages).map((name) => join(packages, name));
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  npm(project, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs);
}, 300_000);

const run = (...args: string[]) =>
  spawnSync(join(project, 'node_modules/.bin/flagsvc-conformance'), args, {
    cwd: project,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
    encoding: 'utf8',
  });

/** The targets of the links of a page that lead to files. */
const linksOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^(https?:|mailto:|#)/.test(target));

/** The links of all pages below a folder that lead out of it, or to a file that is not there. */
const brokenLinks = (folder: string): string[] => {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
  expect(pages.length).toBeGreaterThan(5);
  return pages.flatMap((page) =>
    linksOf(page)
      .map((target) => resolve(dirname(page), target.split('#')[0]!))
      .filter((file) => !file.startsWith(folder) || !existsSync(file))
      .map((file) => `${page.slice(folder.length + 1)}: ${file.slice(folder.length + 1)}`),
  );
};

test('every link of its pages leads to a file of the package', () => {
  expect(brokenLinks(kit)).toEqual([]);
});

test('writes the archive that a checkout writes, and its links lead to files of the archive', () => {
  const archive = join(project, 'archive');
  expect(run('archive', '--out', archive)).toMatchObject({ status: 0 });
  const name = readdirSync(archive).find((one) => one.endsWith('.tar.gz'))!;
  execFileSync(process.execPath, [pathOf('bin/flagsvc-conformance.mjs'), 'archive', '--out', project]);
  expect(readFileSync(join(archive, name)).equals(readFileSync(join(project, name)))).toBe(true);
  execFileSync('tar', ['-xzf', name], { cwd: archive });
  expect(brokenLinks(join(archive, name.replace('.tar.gz', '')))).toEqual([]);
}, 120_000);

test('tests the example in Python in an empty project', () => {
  if (spawnSync('python3', ['--version']).status !== 0) return;
  const copied = run('example', 'python');
  expect(copied, copied.stderr).toMatchObject({ status: 0 });
  const adapter = 'python3 examples/python-evaluator/adapter.py';
  const { status, stdout } = run('run', '--adapter', adapter, '--profile', 'minimal', '--suite', 'vectors');
  expect(stdout).toContain('all as expected');
  expect(status).toBe(0);
  const again = run('example', 'python');
  expect(again).toMatchObject({ status: 2 });
  expect(again.stderr).toContain('move it away first');
}, 180_000);
