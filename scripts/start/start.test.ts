import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'flagsvc-start-'));
const running = new Set<ChildProcess>();
let port = 0;
let dashboardPort = 0;

beforeAll(async () => {
  port = await freePort();
  dashboardPort = await freePort();
});

afterAll(() => {
  for (const child of running) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the last step of `npm start` until it prints that the server keeps running, or until it exits. */
async function start(
  more: NodeJS.ProcessEnv = {},
  ...args: readonly string[]
): Promise<{ readonly text: string; readonly child: ChildProcess }> {
  const env = {
    ...process.env,
    DEMO_DATA_FOLDER: folder,
    FLAGSVC_PORT: `${port}`,
    FLAGSVC_DASHBOARD_PORT: `${dashboardPort}`,
    ...more,
  };
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', 'scripts/start/main.ts', ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let text = '';
  await new Promise<void>((resolve) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('Ctrl-C stops it')) resolve();
    };
    child.stdout!.on('data', read);
    child.stderr!.on('data', read);
    child.on('exit', () => resolve());
  });
  return { text, child };
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  const code = await ended;
  running.delete(child);
  return code;
}

/** Runs the printed `npx flagsvc login` command with the printed password, and returns its output. */
async function loginAsPrinted(text: string): Promise<string> {
  const line = text.split('\n').find((each) => each.includes('npx flagsvc login'));
  const [, password] = /password ([\w-]+)/.exec(text) ?? [];
  const env = { ...process.env, FLAGSVC_CONFIG_DIR: folder };
  const command = `echo '${password}' | ${line} --password-stdin`;
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: root, env });
  return stdout;
}

/** Starts, stops at once, and returns the output. */
async function startAndStop(more?: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<string> {
  const { text, child } = await start(more, ...args);
  await stop(child);
  return text;
}

test('fills an empty folder with a demo, keeps the data and refuses a taken port', {
  timeout: 120_000,
}, async () => {
  const first = await start();
  expect(first.text).toContain('It filled the empty database');
  for (const reason of ['TARGETING_RULE', 'PERCENTAGE_ROLLOUT', 'DEFAULT', 'PREREQUISITE'])
    expect(first.text).toContain(reason);
  expect(first.text).toMatch(
    /dark-mode is true for ada\.\nSwitched it off .*\n… and [\d.]+ s later the running SDK says false.*\nSwitched it on .*\n.* says true/,
  );
  expect(first.text).toMatch(/password \S{12,}/);

  const [next] = first.text.slice(first.text.indexOf('What to try next')).split('\n').slice(2);
  expect(next).toMatch(new RegExp(`^ {2}Dashboard {6}http://localhost:${dashboardPort} .*as the admin`));
  const [, reviewerPassword] =
    /Second admin {3}reviewer@example\.com {3}password (\S{12,})/.exec(first.text) ?? [];
  const api = `http://127.0.0.1:${port}/api/v1`;
  const login = await fetch(`${api}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'reviewer@example.com', password: reviewerPassword }),
  });
  const token = ((await login.json()) as { data: { access_token: string } }).data.access_token;
  const me = await fetch(`${api}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(await me.json()).toMatchObject({ data: { role: 'admin' } });
  // Without a built dashboard, the page says how to build it.
  const dashboard = await fetch(`http://localhost:${dashboardPort}/`);
  expect([200, 503]).toContain(dashboard.status);
  expect(await dashboard.text()).toMatch(/^<!doctype html>/i);

  const stranger = { email: 'stranger@example.com', password: 'a long enough password' };
  const registered = await fetch(`http://127.0.0.1:${port}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(stranger),
  });
  expect([registered.status, await registered.text()]).toEqual([
    403,
    expect.stringContaining('Ask an admin'),
  ]);

  const [, page] = /Example page {3}(http:\S+)/.exec(first.text) ?? [];
  expect(await (await fetch(page!)).text()).toContain('<div id="app">');
  const { apiKey, baseUrl } = (await (await fetch(`${page}/settings.json`)).json()) as Record<string, string>;
  const fromPage = await fetch(`${baseUrl}/sdk/ruleset`, {
    headers: { 'x-api-key': apiKey!, origin: page! },
  });
  expect(fromPage.headers.get('access-control-allow-origin')).toBe(page);
  const { data } = (await fromPage.json()) as { data: { flags: { key: string }[] } };
  expect(data.flags.map(({ key }) => key)).toEqual(['dark-mode', 'new-checkout', 'welcome-text']);
  expect(first.text).toMatch(new RegExp(`Page key {7}development {2}${apiKey}\\n`));

  const lines = first.text.split('\n').filter((line) => line.trim().startsWith('curl '));
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const { stdout } = await promisify(execFile)('bash', ['-c', line]);
    expect(stdout).toContain('"data"');
  }
  expect(await loginAsPrinted(first.text)).toContain('Logged in');

  const second = await start();
  expect(second.text.trim().split('\n')).toEqual([
    `flagsvc cannot start: port ${port} on 127.0.0.1 is taken. Stop the program that uses it, or set FLAGSVC_PORT to another port.`,
  ]);
  expect(await stop(first.child)).toBe(0);

  const third = await start();
  expect(third.text).toContain('with the data of the last start');
  expect(third.text).toContain('dark-mode is true for ada.\nSwitched it off');
  expect(third.text).not.toMatch(/password \S{12,}/);
  expect(await stop(third.child)).toBe(0);

  expect(readFileSync(join(folder, 'demo.json'), 'utf8')).not.toContain('password');
  expect(statSync(join(folder, 'secrets.json')).mode & 0o077).toBe(0);
});

test('recognizes its own demo database and leaves any other alone', {
  timeout: 120_000,
}, async () => {
  const [state, file] = [join(folder, 'demo.json'), join(folder, 'demo.db')];
  expect(existsSync(join(folder, 'flagsvc.db'))).toBe(false);
  const kept = readFileSync(state, 'utf8');
  expect(await startAndStop({ FLAGSVC_DATABASE_URL: 'sqlite::memory:' })).toContain(
    'It filled the empty database',
  );
  expect(readFileSync(state, 'utf8')).toBe(kept);

  const refused = await start({ FLAGSVC_DATABASE_URL: `sqlite:${file}` });
  expect(refused.text).toMatch(
    /^flagsvc cannot start its demo: the database of FLAGSVC_DATABASE_URL has users[^\n]*\n$/,
  );
  expect(refused.child.exitCode).toBe(1);
  expect(await startAndStop()).toContain('with the data of the last start (.data/demo.db;');

  rmSync(file);
  expect(await startAndStop()).toContain('It filled the empty database');

  // Older versions used this file name and did not store it.
  renameSync(file, join(folder, 'flagsvc.db'));
  writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), file: undefined }));
  expect(await startAndStop()).toContain('with the data of the last start (.data/flagsvc.db;');
});

test('--reset starts the demo over and touches only files of the demo', { timeout: 120_000 }, async () => {
  const other = join(folder, 'flagsvc.db');
  const before = existsSync(other) ? readFileSync(other) : undefined;
  const secrets = readFileSync(join(folder, 'secrets.json'), 'utf8');
  const refused = await start({ FLAGSVC_DATABASE_URL: 'sqlite::memory:' }, '--reset');
  expect(refused.text).toMatch(/^flagsvc cannot start: --reset removes only the demo in \.data\.[^\n]*\n$/);

  const text = await startAndStop({}, '--reset');
  expect(text).toContain('Removed the demo of the last start.');
  expect(text).toContain('It filled the empty database .data/demo.db');
  expect(readFileSync(join(folder, 'secrets.json'), 'utf8')).toBe(secrets);
  expect(existsSync(other) ? readFileSync(other) : undefined).toEqual(before);
});
