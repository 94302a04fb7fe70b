import { spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeAdapter, nodeCommand, pathOf, runCli } from '../../test/helpers.ts';
import type { RunReport } from '../report/results.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const core = nodeCommand('adapters/core.mjs');

test('runs an adapter, writes every file and exits with 0', async () => {
  const { code, out } = await runCli([
    'run',
    '--adapter',
    core,
    '--only',
    'state,bucket-0000',
    '--out',
    folder,
  ]);
  expect(out).toContain('all as expected');
  expect(code).toBe(0);
  for (const name of [
    'results.tap',
    'junit.xml',
    'results.jsonl',
    'matrix.html',
    'report.json',
    'badges/all.json',
  ]) {
    expect(existsSync(join(folder, name)), name).toBe(true);
  }
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as RunReport;
  expect(report).toMatchObject({ implementation: { name: 'sdk-core' }, partial: true });
  expect(report.cases).toHaveLength(report.planned);
  expect(report.planned).toBeGreaterThan(50);
});

test('leaves out cases that take minutes, unless --long or their id is given', async () => {
  const file = join(folder, 'report.json');
  const plannedFor = async (...args: string[]) => {
    await runCli(['run', '--adapter', core, '--report', file, ...args]);
    return (JSON.parse(readFileSync(file, 'utf8')) as RunReport).planned;
  };
  const short = await plannedFor('--only', 'LIFE');
  expect(await plannedFor('--only', 'LIFE', '--long')).toBe(short + 1);
  expect(await plannedFor('--only', 'LIFE-17')).toBe(1);
  expect((await runCli(['list', '--only', 'LIFE-17'])).out).toMatch(/^LIFE-17 .* \(with --long\)$/m);
});

test('runs scenarios in real time if --without-clock is given', async () => {
  const adapter = fakeAdapter('good', 'polling', 'clock');
  const file = join(folder, 'report.json');
  const args = ['--only', 'LIFE-05', '--without-clock', '--report', file];
  const { out } = await runCli(['run', '--adapter', adapter, ...args]);
  expect(out).toContain('1 skipped: the adapter has no virtual clock');
  // The command to repeat a case has the option, too.
  expect((JSON.parse(readFileSync(file, 'utf8')) as RunReport).repeat).toMatch(
    / --without-clock --only \{id\}$/,
  );
});

test('names the needed Node version in an older Node', () => {
  const old = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;
  const kit = pathOf('bin/flagsvc-conformance.mjs');
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${old}`, kit, 'list'],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('flagsvc-conformance: needs Node 22.12 or later, and this is 20.20.2\n');
  expect(status).toBe(2);
});

test('shows for a failure the sentence, the input, both results and the command to repeat it', async () => {
  const { code, out } = await runCli([
    'run',
    '--adapter',
    fakeAdapter('wrong-answer'),
    '--only',
    'operators-0001',
  ]);
  expect(code).toBe(1);
  expect(out).toContain('✗ operators-0001');
  expect(out).toContain('Condition: “is: exact string equality”');
  expect(out).toMatch(/given +\{"flag"/);
  expect(out).toMatch(/expected +\{"value":/);
  expect(out).toMatch(/actual +\{"value":/);
  expect(out).toContain('--only operators-0001');
  expect(out).toContain('not as expected: 1');
});

test('continues after a crash, which does not count as a failure', async () => {
  const { code, out } = await runCli([
    'run',
    '--adapter',
    fakeAdapter('dies'),
    '--only',
    'operators-000',
    '--format',
    'jsonl',
  ]);
  const outcomes = out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
  expect(outcomes).toHaveLength(9);
  expect(outcomes).toContain('crash');
  expect(code).toBe(1);
});

test('writes TAP, and skips what the adapter does not claim', async () => {
  const { code, out } = await runCli([
    'run',
    '--adapter',
    fakeAdapter('only-skips'),
    '--only',
    'operators-000',
    '--format',
    'tap',
  ]);
  expect(out).toMatch(
    /^TAP version 14\n1\.\.9\nok 1 - operators-0001 .*# SKIP the adapter does not evaluate/,
  );
  expect(code).toBe(0);
});

test('accepts a known failure, but not a known failure that passes', async () => {
  const list = join(folder, 'known.json');
  const run = (mode: string) =>
    runCli(['run', '--adapter', fakeAdapter(mode), '--only', 'operators-0001', '--expected-failures', list]);
  writeFileSync(
    list,
    JSON.stringify({ expected_failures: [{ id: 'operators-0001', reason: 'later', issue: '#7' }] }),
  );
  expect((await run('wrong-answer')).code).toBe(0);
  const passing = await run('good');
  expect(passing.out).toContain('operators-0001: passes, but is listed as failing');
  expect(passing.code).toBe(1);
});

test('writes several runs as one matrix', async () => {
  const args = ['--only', 'state-000', '--report'];
  await runCli(['run', '--adapter', core, ...args, join(folder, 'a.json')]);
  await runCli(['run', '--adapter', fakeAdapter('wrong-answer'), ...args, join(folder, 'b.json')]);
  const html = join(folder, 'matrix.html');
  const { code, out } = await runCli([
    'report',
    join(folder, 'a.json'),
    join(folder, 'b.json'),
    '--html',
    html,
  ]);
  expect(out).toMatch(/sdk-core .*: as expected\nfake 1\.0\.0: \d+ not as expected/);
  expect(code).toBe(1);
  expect(readFileSync(html, 'utf8')).toMatch(/<h2>sdk-core .*<h2>fake <small>1\.0\.0/s);
});

test.each([
  [['run'], 'give one of --adapter'],
  [['run', '--adapter', 'x', '--novel'], '--novel'],
  [['run', '--adapter', 'true', '--only', 'nothing-9'], '--only nothing-9 names no case'],
  [['server', '--url', 'http://127.0.0.1:9/api/v1'], '--admin-email'],
  [['explain', 'nothing-9'], 'there is no case "nothing-9"'],
  [['explain', 'poll-0'], 'there is POLL-01, POLL-02.1'],
  [['run', '--adapter', 'x', '--scale', 'slow'], '--scale slow is not a number from 0.001 to 1'],
  [['run', '--ws', '70000'], '--ws 70000 is not a whole number'],
  [['run', '--url', 'localhost'], 'is not a URL'],
  [['run', '--adapter', 'x', '--out', '/dev/null/x'], '--tap cannot be written'],
  [['run', '--adapter', 'x', '--expected-failures', 'nothing.json'], 'cannot read nothing.json'],
  [['report', 'package.json', '--html', 'x.html'], 'package.json is not a report'],
  [
    ['server', '--url', 'http://127.0.0.1:9/api/v1', '--admin-email', 'a@b.c', '--admin-password', 'x'],
    'no answer to GET http://127.0.0.1:9/openapi.json',
  ],
  [['novel'], 'there is no command "novel"'],
])('exits with 2 and one line of help: %j', async (args, words) => {
  const { code, err } = await runCli(args);
  expect(err).toContain(words);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(2);
});

test.each([
  ['run', '--only', 'state', '--adapter'],
  ['adapter-check', '--adapter'],
  ['run', '--suite', 'sdk', '--only', 'INIT', '--ws', '0', '--adapter'],
])('shows the output of an adapter that does not start: %s', async (...args) => {
  const command = fakeAdapter('does-not-start');
  const { code, err } = await runCli([...args, command]);
  expect(err).toContain('exit code 3');
  expect(err).toContain('| there is no module toy-sdk');
  expect(err).toContain(`it was started with: ${command}`);
  expect(code).toBe(2);
});

test('selects ERR-06.1 without ERR-06.10', async () => {
  const ids = (out: string) => out.match(/^[A-Z]+-\d+(\.\d+)?/gm);
  expect(ids((await runCli(['list', '--only', 'ERR-06.1'])).out)).toEqual(['ERR-06.1']);
  expect(ids((await runCli(['list', '--only', 'ERR-06'])).out)!.length).toBeGreaterThan(9);
});

test('lists groups and cases, and explains a case', async () => {
  expect((await runCli(['list'])).out).toMatch(/ 10000 {2}vectors\/bucket\.csv/);
  expect((await runCli(['list', '--only', 'sdk/POLL'])).out).toContain('POLL-01');
  const { out } = await runCli(['explain', 'POLL-03']);
  expect(out).toContain('ruleset-304: GET /sdk/ruleset: “A request with header `If-None-Match`');
  expect(out).toContain('"if-none-match"');
  expect((await runCli(['explain', 'ruleset-304'])).out).toMatch(/^POLL-03 /m);
});

test('runs a profile, and gives its badge and those of smaller profiles', async () => {
  const args = ['run', '--adapter', fakeAdapter('only-skips'), '--out', folder, '--profile'];
  expect((await runCli([...args, 'standard'])).code).toBe(0);
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as RunReport;
  expect(report).toMatchObject({ profile: 'standard', partial: false });
  const groups = new Set(report.cases.map(({ group }) => group));
  expect(groups).toContain('vectors/regex');
  expect(groups).not.toContain('vectors/malformed');
  expect(existsSync(join(folder, 'badges/profile-minimal.json'))).toBe(true);
  expect(existsSync(join(folder, 'badges/profile-full.json'))).toBe(false);
  expect(JSON.parse(readFileSync(join(folder, 'badges/all.json'), 'utf8'))).toMatchObject({
    message: 'partial run',
  });
  const wrong = await runCli([...args, 'medium']);
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.err).toContain('--profile is minimal, standard, full');
});

test('lists the profiles with their numbers of cases', async () => {
  const { out } = await runCli(['list', '--profiles']);
  const counts = [...out.matchAll(/^ *(\d+) {2}(minimal|standard|full) /gm)].map(([, count]) =>
    Number(count),
  );
  expect(counts).toHaveLength(3);
  expect(counts).toEqual([...counts].sort((left, right) => left - right));
  expect(out).toContain('adds patterns, segments');
});

describe('with a cache directory of its own', () => {
  beforeEach(() => vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache')));
  afterEach(() => vi.unstubAllEnvs());

  test('--failed runs the cases that failed before, until they pass', async () => {
    const mode = join(folder, 'mode');
    const file = join(folder, 'report.json');
    const adapter = nodeCommand('test/fake-adapter.mjs', `@${mode}`);
    const run = async (as: string, ...args: string[]) => {
      writeFileSync(mode, as);
      const { code, out, err } = await runCli(['run', '--adapter', adapter, '--report', file, ...args]);
      return { code, out, err, planned: (JSON.parse(readFileSync(file, 'utf8')) as RunReport).planned };
    };
    writeFileSync(file, '{}');
    const early = await run('good', '--failed');
    expect(early).toMatchObject({ code: 2 });
    expect(early.err).toContain('run once without --failed');
    expect((await run('wrong-answer', '--only', 'operators-000')).code).toBe(1);
    expect(await run('wrong-answer', '--failed')).toMatchObject({ code: 1, planned: 9 });
    // A run of other cases keeps the record of these.
    await run('good', '--only', 'operators-0001');
    expect(await run('good', '--failed')).toMatchObject({ code: 0, planned: 8 });
    const { code, out } = await run('good', '--failed');
    expect(code).toBe(0);
    expect(out).toContain('no case failed');
  });

  test('--watch runs again after a change, the failed cases first', async () => {
    const sources = join(folder, 'sources');
    mkdirSync(join(sources, 'node_modules'), { recursive: true });
    const mode = join(sources, 'mode');
    writeFileSync(mode, 'wrong-answer');
    const adapter = nodeCommand('test/fake-adapter.mjs', `@${mode}`);
    const args = [
      'run',
      '--adapter',
      adapter,
      '--only',
      'operators-000',
      '--format',
      'jsonl',
      '--watch',
      sources,
    ];
    const child = spawn(process.execPath, [pathOf('bin/flagsvc-conformance.mjs'), ...args]);
    const lines: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
    const waits = on(child.stderr.setEncoding('utf8'), 'data');
    await waits.next();
    expect(lines).toHaveLength(9);
    // Generated files start no run.
    writeFileSync(join(sources, 'node_modules', 'x'), '');
    writeFileSync(mode, 'good');
    const { value } = (await waits.next()) as { value: string[] };
    expect(value[0]).toContain('waiting for changes');
    // Nine failed cases again, and then all nine that are selected.
    expect(lines).toHaveLength(27);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
  });
});
