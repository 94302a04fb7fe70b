import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { NODE_FLAGS } from '../reference-server/bin/node-flags.mjs';
import { freePort } from './free-port.ts';
import { root } from './sources.ts';

const run = promisify(execFile);

beforeAll(async () => {
  await run(process.execPath, ['scripts/build.mjs'], { cwd: root });
}, 240_000);

test.each([
  ['its launcher', process.execPath, ['scripts/run.mjs', 'serve']],
  ['npm', 'npm', ['run', 'serve']],
])('the server stops when %s receives SIGTERM', { timeout: 60_000 }, async (_, command, args) => {
  const port = await freePort();
  const env = {
    ...process.env,
    FLAGSVC_PORT: `${port}`,
    FLAGSVC_DASHBOARD_PORT: 'off',
    FLAGSVC_DATABASE_URL: 'sqlite::memory:',
    FLAGSVC_JWT_SECRET_KEY: 'a launcher test of 32 characters 1',
    FLAGSVC_API_SECRET_KEY: 'a launcher test of 32 characters 2',
  };
  const launcher = spawn(command, args, { cwd: root, env, stdio: 'ignore' });
  const health = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const until = async (isUp: boolean) => {
    while ((await health()) !== isUp) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await until(true);
  launcher.kill('SIGTERM');
  await until(false);
});

test.each([
  ['its own V8 options', '', ['', NODE_FLAGS.join()]],
  ["the operator's V8 options", '--max-semi-space-size=4 ', ['']],
])('the launcher starts the server with %s', { timeout: 30_000 }, async (_, options, starts) => {
  const report = "console.error('options:'+process.execArgv)";
  const { stdout, stderr } = await run(
    process.execPath,
    ['reference-server/bin/flagsvc-server.mjs', '--version'],
    { cwd: root, env: { ...process.env, NODE_OPTIONS: `${options}--import=data:text/javascript,${report}` } },
  );
  expect(stderr.trimEnd().split('\n')).toEqual(starts.map((flags) => `options:${flags}`));
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each(['reference-server', 'sdk-node', 'conformance'])(
  'every bin of %s exists without a build, so that an install links it',
  (name) => {
    const { bin } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    for (const path of Object.values(bin)) {
      expect(path).not.toContain('dist/');
      expect(existsSync(join(root, name, path))).toBe(true);
    }
  },
);

test.each([
  ['reference-server/bin/flagsvc.mjs', '--help'],
  ['sdk-node/bin/flagsvc-typegen.mjs', '--help'],
  ['conformance/bin/flagsvc-conformance.mjs', 'list'],
])('%s prints its help', { timeout: 30_000 }, async (path, argument) => {
  const { stdout } = await run(process.execPath, [path, argument], { cwd: root });
  expect(stdout.length).toBeGreaterThan(100);
});

test('npm start refuses an invalid port in one line', async () => {
  const env = { ...process.env, FLAGSVC_PORT: '99999' };
  const refused = run(process.execPath, ['scripts/start/main.ts'], { cwd: root, env });
  await expect(refused).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^flagsvc cannot start: FLAGSVC_PORT is "99999"[^\n]*\n$/),
  });
});

test.each([
  ['browser-page', ''],
  ['react-app', 'settings.json'],
])(
  'the page of %s uses the server of FLAGSVC_URL, and refuses a taken port in one line',
  async (name, path) => {
    const api = 'http://127.0.0.1:18000/api/v1';
    const env = { ...process.env, FLAGSVC_URL: api, FLAGSVC_CLIENT_KEY: 'sdk-dev-launcher', PORT: '0' };
    const file = join('examples', name, 'serve.mjs');
    const page = spawn(process.execPath, [file], { cwd: root, env });
    onTestFinished(() => void page.kill());
    const [line] = (await once(page.stdout, 'data')) as [Buffer];
    const { port, href } = new URL(line.toString().trim().split(' ').at(-1)!);
    const text = await (await fetch(href + path)).text();
    const refused = run(process.execPath, [file], { cwd: root, env: { ...env, PORT: port } });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The \w+ cannot be served: [^\n]*EADDRINUSE[^\n]*\n$/),
    });
    page.kill();
    expect(text).toContain(api);
  },
);
