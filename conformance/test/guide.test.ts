/** The commands in README.md run as printed, and its statements about the suite are true. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadSuite } from '../src/suite/suite.ts';
import { fakeAdapter, pathOf, runCli } from './helpers.ts';

const guide = readFileSync(pathOf('README.md'), 'utf8');
const adapter = 'python3 examples/python-evaluator/adapter.py';
const root = pathOf('..');
const lacksPython = spawnSync('python3', ['--version']).status !== 0;
const reason = lacksPython ? ' (skipped: python3 is not installed)' : '';
const out = mkdtempSync(join(tmpdir(), 'flagsvc-guide-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const commands = [...guide.matchAll(/```sh\nnpx flagsvc-conformance ([^\n]*)\n```/g)]
  .map(([, args = '']) => args)
  .filter((args) => args.includes(adapter));

/** Runs the kit with the arguments of a command line; an argument in quotes may contain spaces. */
const runCommand = (args: string) => {
  const words = args.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''));
  const kit = pathOf('bin/flagsvc-conformance.mjs');
  return spawnSync(process.execPath, [kit, ...words.map((word) => (word === 'results' ? out : word))], {
    cwd: root,
    encoding: 'utf8',
  });
};

test('README.md contains commands', () => {
  expect(commands.length).toBeGreaterThanOrEqual(4);
});

/** Leaves out a command that also occurs with `--out`. */
const distinct = commands.filter((args) => !commands.some((other) => other.startsWith(`${args} --out`)));
test.skipIf(lacksPython).each(distinct)(
  `runs as README.md says: %s${reason}`,
  (args) => {
    const { status, stdout } = runCommand(args);
    expect(status, stdout.slice(-2_000)).toBe(0);
    if (!args.startsWith('adapter-check')) return;
    const shown = /```\n(adapter {2}[\s\S]*?)```/.exec(guide)?.[1] ?? '';
    // Times and versions differ between machines.
    const stable = (text: string) => text.replace(/\d+\.\d+\.\d+|in [\d.]+ s/g, '…');
    expect(stable(stdout)).toContain(stable(shown));
  },
  120_000,
);

test.skipIf(lacksPython)(`the last command writes the files that README.md names${reason}`, () => {
  const named = /writes (`results\.tap`[^.]*\.[^,]*(?:, `[^`]+`)* and `[^`]+`)/.exec(guide)![1]!;
  const files = [...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((name) => !existsSync(join(out, name)))).toEqual([]);
});

test.skipIf(lacksPython)(`the Python adapter answers the conversation of the first step${reason}`, () => {
  const [, spoken = ''] = /Begin with this conversation:\n\n```\n([\s\S]*?)```/.exec(guide)!;
  const requests = [...spoken.matchAll(/^> (.*)$/gm)].map(([, line]) => line!);
  const { stdout, status } = spawnSync('python3', adapter.split(' ').slice(1), {
    cwd: root,
    encoding: 'utf8',
    input: `${requests.join('\n')}\n`,
  });
  expect(status).toBe(0);
  const shapes = stdout
    .trim()
    .split('\n')
    .map((line) => Object.keys(JSON.parse(line)));
  expect(shapes).toEqual([
    ['seq', 'ok'],
    ['seq', 'skipped'],
    ['seq', 'ok'],
  ]);
});

test('README.md shows a failure as the kit prints it', async () => {
  const [, shown = ''] = /```\n(✗ arrays-0002[\s\S]*?) +npx/.exec(guide)!;
  const { out: printed } = await runCli(['run', '--adapter', fakeAdapter('good'), '--only', 'arrays-0002']);
  expect(printed).toContain(shown);
});

test('README.md orders all categories, and rounds its counts down', () => {
  const { vectors, buckets } = loadSuite();
  const [order = ''] = /A good order:.*/.exec(guide)!;
  const named = new Set([...order.matchAll(/`([a-z]+)`/g)].map(([, name]) => name));
  // Parts of a category, such as `malformed-mutants`, have files of their own.
  const categories = new Set(vectors.map(({ category }) => category.split('-')[0]));
  expect([...categories].filter((name) => !named.has(name))).toEqual([]);
  const [, claimed = '', rows = ''] = /\| ([\d,]+) vectors, ([\d,]+) buckets \|/.exec(guide)!;
  const number = (text: string) => Number(text.replace(',', ''));
  expect(vectors.length).toBeGreaterThanOrEqual(number(claimed));
  expect(vectors.length).toBeLessThan(number(claimed) + 500);
  expect(buckets).toHaveLength(number(rows));
});
