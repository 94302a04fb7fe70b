import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUpstream } from '../../relay-proxy/test/upstream-server.ts';
import { debianTool } from '../debian-tools.ts';
import { freePort } from '../free-port.ts';
import { root } from '../sources.ts';
import { createApi } from '../start/steps/api.ts';
import { DEMO_FLAGS, type DemoFlag } from '../start/steps/demo-flags.ts';
import { buildImage } from './build.ts';
import { type Container, createContainer } from './container.ts';
import { type Image, readLayout } from './layout.ts';
import { sizesOf } from './sizes.ts';

const MB = 1_000_000;
const SECONDS = 1_000_000_000;
const { missing } = await debianTool('buildah');
const reason = process.getuid?.() === 0 ? missing : 'it needs root';

describe.skipIf(reason !== undefined)(`the container image${reason ? ` (skipped: ${reason})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-image-'));
  const running = new Set<ChildProcess>();
  let image: Image;
  let container: Container;

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: root });
    image = await buildImage();
    container = createContainer(image, folder);
  }, 300_000);

  afterAll(() => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a program of the image to its end. */
  async function run(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    program?: readonly string[],
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const child = container.start(args, env, program);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  test('has at most 250 MB unpacked and 100 MB compressed', () => {
    const { unpacked, compressed, parts } = sizesOf(image);
    expect(unpacked).toBeLessThan(250 * MB);
    expect(compressed).toBeLessThan(100 * MB);
    expect(parts['Node.js']).toBeGreaterThan(50 * MB);
  });

  test('has safe settings, no secret, a health check, and a user without rights', () => {
    const { config } = readLayout(image.layout).config;
    expect(config.Env).toEqual(
      expect.arrayContaining(['FLAGSVC_REGISTRATION=invite', 'FLAGSVC_PASSWORD_BLOCKLIST=on']),
    );
    expect(config.Env!.filter((pair) => pair.includes('SECRET'))).toEqual([]);
    expect(config).toMatchObject({
      User: '10001:10001',
      Volumes: { '/data': {} },
      Healthcheck: { Test: ['CMD', '/usr/bin/node', '/app/health.mjs'], Interval: 10 * SECONDS },
    });
  });

  test('contains production dependencies only, and no shell', () => {
    const modules = readdirSync(join(image.files, 'app', 'node_modules'));
    expect(modules).toEqual(expect.arrayContaining(['better-sqlite3', 'pg', 'pino']));
    for (const name of ['typescript', 'vitest', 'vite', 'esbuild', 'node', 'react'])
      expect(modules).not.toContain(name);
    expect(readdirSync(join(image.files, 'usr', 'bin'))).toEqual(['node']);
  });

  test('contains the dashboard if it is built', () => {
    const built = join(root, 'dashboard', 'dist');
    const packed = join(image.files, 'app', 'reference-server', 'dist', 'dashboard');
    expect(existsSync(join(packed, 'index.html'))).toBe(existsSync(join(built, 'index.html')));
  });

  test('makes a flag and evaluates it, writes only to its data folder, and stops on SIGTERM', {
    timeout: 120_000,
  }, async () => {
    const { output: secrets } = await run(['secrets']);
    const port = await freePort();
    const env = {
      ...Object.fromEntries(
        secrets
          .trim()
          .split('\n')
          .map((line) => line.split('=')),
      ),
      FLAGSVC_HOST: '127.0.0.1',
      FLAGSVC_PORT: `${port}`,
      FLAGSVC_DASHBOARD_PORT: '0',
    };
    const health = () => run([], env, ['/usr/bin/node', '/app/health.mjs']);
    expect((await health()).code).toBe(1);

    const child = container.start([], env);
    running.add(child);
    const exit = once(child, 'exit');
    let log = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    child.stdout!.resume();
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${port}/health`).then(
            ({ ok }) => ok,
            () => log,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
    expect((await health()).code).toBe(0);

    expect(await evaluateNewFlag(`http://127.0.0.1:${port}/api/v1`)).toMatchObject({
      evaluations: { 'dark-mode': { value: true, reason: 'TARGETING_RULE' } },
    });
    expect(readdirSync(container.data)).toContain('flagsvc.db');

    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  test('starts a relay, whose health check passes once it has a ruleset', { timeout: 120_000 }, async () => {
    const upstream = await startUpstream(1);
    const { relay: relayKey, server } = await upstream.createKeys();
    const port = await freePort();
    const env = {
      FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
      FLAGSVC_RELAY_KEYS: relayKey,
      FLAGSVC_RELAY_PORT: `${port}`,
      FLAGSVC_RELAY_DATA_DIR: '/data/relay',
    };
    const child = container.start([], env, ['/usr/bin/node', '/app/relay-proxy/bin/flagsvc-relay.mjs']);
    running.add(child);
    const exit = once(child, 'exit');
    let complaints = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    child.stdout!.resume();
    const health = () => run([], env, ['/usr/bin/node', '/app/health.mjs']);
    await expect.poll(async () => (await health()).code, { timeout: 60_000 }).toBe(0);
    const headers = { 'content-type': 'application/json', 'x-api-key': server };
    const body = JSON.stringify({ flags: ['flag-0'], context: { user_key: 'ada' } });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/evaluate`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(readdirSync(join(container.data, 'relay'))).toContain('keys.json');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(complaints).toBe('');
    await upstream.close();
  });
});

/** Registers the first user, who makes a flag, switches it on, and evaluates it with a new key. */
async function evaluateNewFlag(baseUrl: string): Promise<unknown> {
  const user = { email: 'ada@example.com', password: 'correct horse battery staple', full_name: 'Ada' };
  await createApi(baseUrl)('POST', '/auth/register', user);
  const { access_token } = await createApi(baseUrl)<{ access_token: string }>('POST', '/auth/login', user);
  const api = createApi(baseUrl, access_token);
  const [project] = await api<{ id: string }[]>('GET', '/projects');
  const [environment] = await api<{ id: string }[]>('GET', `/projects/${project!.id}/environments`);
  const query = `environment_id=${environment!.id}`;
  const [{ flag: body, targeting }] = DEMO_FLAGS as readonly [DemoFlag];
  const flag = await api<{ id: string }>('POST', `/flags?${query}`, { ...body, default_variation: 'off' });
  await api('PUT', `/flags/${flag.id}?${query}`, targeting);
  await api('POST', `/flags/${flag.id}/toggle?${query}`, { enabled: true });
  const { key } = await api<{ key: string }>('POST', `/environments/${environment!.id}/api-keys`, {
    name: 'test',
  });
  const response = await fetch(`${baseUrl}/evaluate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ flags: [body['key']], context: { user_key: 'ada' } }),
  });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return data;
}
