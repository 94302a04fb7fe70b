import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream } from './upstream-server.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const MB = 1_000_000;

let scratch: string;
let project: string;
beforeAll(async () => {
  if (!existsSync(join(root, 'relay-proxy', 'dist')))
    throw new Error('relay-proxy is not built: run `npm run build` first');
  scratch = await mkdtemp(join(tmpdir(), 'flagsvc-relay-package-'));
  project = join(scratch, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  const pack = ['pack', '--workspace=@flagsvc/relay-proxy', '--ignore-scripts', '--json'];
  await run('npm', [...pack, `--pack-destination=${scratch}`], { cwd: root });
  const tarball = (await readdir(scratch)).find((name) => name.endsWith('.tgz'))!;
  // Offline: an installation that needed another package would fail.
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', [...install, join(scratch, tarball)], { cwd: project });
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

test('an installed relay brings no other package, and takes at most 40 MB', async () => {
  const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: project });
  const paths = stdout.trim().split('\n').slice(1);
  expect(paths.map((path) => path.split('node_modules/').at(-1))).toEqual(['@flagsvc/relay-proxy']);
  const files = await readdir(project, { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(project, file))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40 * MB);
});

test('the bundle holds neither a database nor the documentation page, and names the licences of what it holds', async () => {
  const dist = join(project, 'node_modules', '@flagsvc', 'relay-proxy', 'dist');
  const notices = await readFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const names = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \((.+)\)$/gm)].map(([, name]) => name!);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pino', '@msgpack/msgpack', 'prom-client']));
  expect(names.filter((name) => /sqlite|^pg|argon2|scalar|kysely|jose|nodemailer|^ky$/.test(name))).toEqual(
    [],
  );
  expect(notices).not.toContain('undefined');
});

test('the installed command starts, serves flags and metrics, and stops on a signal', async () => {
  const upstream = await startUpstream(1);
  const { relay: relayKey, server } = await upstream.createKeys();
  let relay: RelayProcess | undefined;
  try {
    const bin = join(project, 'node_modules', '.bin', 'flagsvc-relay');
    const { version } = JSON.parse(await readFile(join(root, 'relay-proxy', 'package.json'), 'utf8'));
    expect((await run(process.execPath, [bin, '--version'])).stdout).toBe(`${version}\n`);
    expect((await run(process.execPath, [bin, '--help'])).stdout).toContain('FLAGSVC_RELAY_UPSTREAM_URL');
    relay = await startRelay(
      {
        FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
        FLAGSVC_RELAY_KEYS: relayKey,
        FLAGSVC_RELAY_METRICS_PORT: '0',
      },
      [bin],
    );
    await relay.ready();
    const response = await fetch(`${relay.url()}/api/v1/evaluate`, {
      method: 'POST',
      headers: { 'x-api-key': server, 'content-type': 'application/json' },
      body: JSON.stringify({ flags: ['flag-0'], context: { user_key: 'u' } }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { data: { evaluations: { 'flag-0': { reason: 'DISABLED' } } } },
    ]);
    const metricsUrl = /metrics[^\n]*?(http:\/\/[^"\s]+)/.exec(relay.log())?.[1];
    const metrics = await (await fetch(metricsUrl!)).text();
    expect(metrics).toContain(`flagsvc_relay_info{version="${version}"} 1`);
    expect(await relay.stop()).toBe(0);
  } finally {
    await relay?.close();
    await upstream.close();
  }
});
