/** The published package is complete: it runs outside of this repository, and its links lead to its own files. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from './helpers.ts';

const project = mkdtempSync(join(tmpdir(), 'flagsvc-kit-'));
const kit = join(project, 'node_modules/@flagsvc/conformance');
afterAll(() => rmSync(project, { recursive: true }));

beforeAll(() => {
  if (!existsSync(pathOf('dist/cli.js'))) throw new Error('the kit is not built: run `npm run build` first');
  const packArgs = ['pack', '--json', '--ignore-scripts', '--pack-destination', project];
  const said = execFileSync('npm', packArgs, {
    cwd: pathOf('.'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = Object.values(JSON.parse(said)) as [{ filename: string }];
  mkdirSync(kit, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, filename), '-C', kit, '--strip-components=1']);
  const { dependencies } = JSON.parse(readFileSync(join(kit, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies))
    symlinkSync(pathOf(`../node_modules/${name}`), join(project, 'node_modules', name));
  writeFileSync(join(project, 'package.json'), '{"private":true}');
}, 60_000);

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(kit, 'bin/flagsvc-conformance.mjs'), ...args], {
    cwd: project,
    encoding: 'utf8',
  });

/** The targets of the links of a page that lead to files. */
const linksOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^(https?:|mailto:|#)/.test(target));

test('every link of its pages leads to a file of the package', () => {
  const pages = readdirSync(kit, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(kit, name));
  expect(pages.length).toBeGreaterThan(5);
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .map((target) => resolve(dirname(page), target.split('#')[0]!))
      .filter((file) => !file.startsWith(kit) || !existsSync(file))
      .map((file) => `${page.slice(kit.length + 1)}: ${file.slice(kit.length + 1)}`),
  );
  expect(broken).toEqual([]);
});

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
}, 60_000);
