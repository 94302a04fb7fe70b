import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { npmParent } from '../src/process/npm-parent.ts';

/** A checkout that is not built, with the repository's Node first on the path of npm. */
let checkout: string;
let children: ChildProcess[];

beforeEach(() => {
  children = [];
  checkout = mkdtempSync(join(tmpdir(), 'flagsvc-bin-'));
  const real = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
  cpSync(real('bin'), join(checkout, 'bin'), { recursive: true });
  symlinkSync(real('src'), join(checkout, 'src'));
  writeFileSync(join(checkout, 'package.json'), '{"type":"module"}');
  writeFileSync(join(checkout, 'tsup.config.ts'), '');
  const commands = join(checkout, 'node_modules/.bin');
  mkdirSync(commands, { recursive: true });
  symlinkSync('../../bin/flagsvc-server.mjs', join(commands, 'flagsvc-server'));
  symlinkSync(process.execPath, join(commands, 'node'));
});
afterEach(async () => {
  for (const { pid } of children) endGroup(pid!);
  rmSync(checkout, { recursive: true });
});

/** Ends what a failed test has left. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

/** Starts a command in the checkout and waits until the server listens. */
async function run(file: string, args: readonly string[]) {
  const child = spawn(file, args, {
    cwd: checkout,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      npm_config_cache: join(checkout, '.npm'),
      npm_config_update_notifier: 'false',
      FLAGSVC_DATABASE_URL: 'sqlite::memory:',
      FLAGSVC_JWT_SECRET_KEY: 'j'.repeat(32),
      FLAGSVC_API_SECRET_KEY: 'a'.repeat(32),
      FLAGSVC_PORT: '0',
      FLAGSVC_DASHBOARD_PORT: 'off',
    },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = once(child.stdout, 'end');
  await expect.poll(() => output, { timeout: 30_000 }).toMatch(/listening on (http:[^"\s]+)/);
  return { child, exit: once(child, 'exit'), ended, url: /listening on (http:[^"\s]+)/.exec(output)![1]! };
}

test('a server under npx stops when npx gets a signal', async () => {
  const npx = await run('npx', ['--no', 'flagsvc-server']);
  npx.child.kill('SIGTERM');
  await npx.exit;
  // The server holds the pipe until it ends.
  await npx.ended;
  await expect(fetch(`${npx.url}/health/live`)).rejects.toThrow('fetch failed');
});

test.each([
  ['flagsvc-server', true],
  ['flagsvc-server backup /backups', true],
  ['"flagsvc-server"', true],
  ['flagsvc-server & sleep 1', false],
  ['vitest run', false],
  [undefined, false],
])('npm running %s: the server stops with its parent: %s', (npm_lifecycle_script, stops) => {
  expect(npmParent({ npm_lifecycle_script })).toBe(stops ? process.ppid : undefined);
});

test('without process.execve, the command passes signals on and ends with the status of the server', async () => {
  const older = 'data:text/javascript,process.execve = undefined';
  const server = await run(process.execPath, ['--import', older, 'bin/flagsvc-server.mjs']);
  server.child.kill('SIGTERM');
  expect(await server.exit).toEqual([0, null]);
  await expect(fetch(`${server.url}/health/live`)).rejects.toThrow('fetch failed');
});
