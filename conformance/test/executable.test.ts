/** The single executable and the action that fetches it, on a path that has no Node. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from './helpers.ts';

const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';
const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path));
const reason = !isLinuxX64 ? ' (skipped: needs Linux on x64)' : python ? '' : ' (skipped: needs python3)';
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-executable-'));
const file = join(scratch, 'flagsvc-conformance-linux-x64');
afterAll(() => rmSync(scratch, { recursive: true }));

/** A new folder whose commands see only these programs. */
const startFresh = (programs: readonly string[]) => {
  const folder = mkdtempSync(join(scratch, 'fresh-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const path of programs) symlinkSync(path, join(bin, path.split('/').at(-1)!));
  return { folder, env: { PATH: bin, HOME: folder } };
};

beforeAll(() => {
  if (reason !== '') return;
  const args = [
    '--conditions=@flagsvc/source',
    pathOf('executable/build.ts'),
    '--arch',
    'x64',
    '--out',
    scratch,
  ];
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}, 240_000);

test.skipIf(reason)(
  `runs the vectors against an adapter in Python without Node${reason}`,
  () => {
    const { folder, env } = startFresh([python!]);
    expect(spawnSync('node', ['--version'], { env }).error).toMatchObject({ code: 'ENOENT' });
    const run = (...args: string[]) => spawnSync(file, args, { cwd: folder, env, encoding: 'utf8' });
    expect(run('--version').stdout).toBe(readFileSync(pathOf('VERSION'), 'utf8'));
    const example = run('example', 'python');
    expect(example.stdout).toContain('  flagsvc-conformance run --adapter');
    const adapter = ['--adapter', 'python3 examples/python-evaluator/adapter.py'];
    const { status, stdout, stderr } = run(
      'run',
      ...adapter,
      '--only',
      'state,rules,operators',
      '--out',
      'results',
    );
    expect(`${stderr}${stdout}`).toContain('all as expected');
    expect(status).toBe(0);
    expect(existsSync(join(folder, 'results', 'matrix.html'))).toBe(true);
    // The suite is unpacked once.
    expect(
      readdirSync(join(folder, '.cache', 'flagsvc-conformance')).filter((name) => !/json$/.test(name)),
    ).toEqual([expect.stringMatching(/^suite-[0-9a-f]{24}$/)]);
  },
  120_000,
);

test.skipIf(reason)(
  `writes the archive that a checkout writes${reason}`,
  () => {
    const { folder, env } = startFresh([]);
    const { status } = spawnSync(file, ['archive', '--out', folder], { env });
    expect(status).toBe(0);
    execFileSync(process.execPath, [pathOf('bin/flagsvc-conformance.mjs'), 'archive', '--out', scratch]);
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.tar.gz'));
    expect(readFileSync(join(folder, name)).equals(readFileSync(join(scratch, name)))).toBe(true);
  },
  60_000,
);

test.skipIf(reason)(`starts where no home directory can be written${reason}`, () => {
  const { env } = startFresh([]);
  const { status, stderr } = spawnSync(file, ['list'], {
    env: { ...env, HOME: '/dev/null', TMPDIR: scratch },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Record<string, string> }[];
  };
}

/** Runs the steps of the action as GitHub's runner does, and returns the first that fails, else the last. */
const runAction = (inputs: Readonly<Record<string, string>>, architecture = 'X64') => {
  const programs = ['curl', 'sha256sum', 'mv', 'chmod', 'tr', 'xargs'].map((name) =>
    execFileSync('which', [name], { encoding: 'utf8' }).trim(),
  );
  const { folder, env } = startFresh([python!, ...programs]);
  const action = load(readFileSync(pathOf('action/action.yml'), 'utf8')) as Action;
  let last: ReturnType<typeof spawnSync> | undefined;
  for (const { run, env: stepEnv } of action.runs.steps) {
    const filled = Object.entries(stepEnv).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_all, input: string) => {
        expect(Object.keys(action.inputs)).toContain(input);
        return inputs[input] ?? action.inputs[input]!.default ?? '';
      }),
    ]);
    last = spawnSync('/bin/bash', ['-e', '-c', run], {
      cwd: folder,
      env: {
        ...env,
        RUNNER_ARCH: architecture,
        RUNNER_OS: 'Linux',
        RUNNER_TEMP: folder,
        ...Object.fromEntries(filled),
      },
      encoding: 'utf8',
    });
    if (last.status !== 0) break;
  }
  return last!;
};

test.skipIf(reason)(
  `the action runs the kit, and refuses an executable with another checksum${reason}`,
  () => {
    const adapter = `python3 ${pathOf('../examples/python-evaluator/adapter.py')}`;
    const given = {
      'download-url': `file://${scratch}`,
      sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
      arguments: `run\n--adapter "${adapter}" --only state`,
    };
    const good = runAction(given);
    expect(`${good.stderr}${good.stdout}`).toContain('all as expected');
    expect(good.status).toBe(0);
    expect(runAction({ ...given, sha256: '' }).status).toBe(0);
    const changed = runAction({ ...given, sha256: '0'.repeat(64) });
    expect(changed.status).not.toBe(0);
    expect(changed.stdout).toContain('FAILED');
    expect(
      runAction({ ...given, arguments: 'run --adapter "python3 none.py" --only state' }).status,
    ).not.toBe(0);
    expect(runAction(given, 'RISCV').stdout).toContain('no executable for Linux on RISCV');
  },
  120_000,
);
