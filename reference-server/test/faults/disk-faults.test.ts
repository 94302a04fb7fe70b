import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, type Installation, install } from '../crash/client.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { canTrace } from './power-loss.ts';

let folder: string;
let server: ServerProcess;
let url: string;
let installation: Installation;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-disk-'));
  server = startServer({ FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}` });
  url = await server.url;
  installation = await install(url, 1);
  // What is served is in memory from the first request on.
  expect((await read()).status).toBe(200);
}, 60_000);
afterEach(async () => {
  server.child.kill('SIGKILL');
  await server.exit;
  rmSync(folder, { recursive: true });
});

const apiKey = () => ({ 'x-api-key': installation.apiKey });
const read = () => call(url, 'GET', '/sdk/ruleset', apiKey());
const evaluate = () =>
  call(url, 'POST', '/evaluate', apiKey(), { flags: ['*'], context: { user_key: 'u1' } });
const list = () =>
  call(url, 'GET', `/flags?environment_id=${installation.environmentId}`, {
    authorization: `Bearer ${installation.accessToken}`,
  });
async function toggle(enabled: boolean): Promise<{ status: number; code: string | undefined }> {
  const { flagIds, environmentId, accessToken } = installation;
  const path = `/api/v1/flags/${flagIds[0]}/toggle?environment_id=${environmentId}`;
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: body.error?.code };
}

/** Makes system calls of the running server fail, until the returned function is called. */
async function inject(calls: string, error: string): Promise<() => Promise<void>> {
  const log = join(folder, 'inject.log');
  const args = ['-f', '-p', String(server.child.pid), '-o', log, '-e', `trace=${calls}`];
  const tracer = spawn('strace', [...args, '-e', `inject=${calls}:error=${error}`], { stdio: 'ignore' });
  const status = `/proc/${server.child.pid}/status`;
  while (!readFileSync(status, 'utf8').includes(`TracerPid:\t${tracer.pid}`)) await wait(10);
  await wait(100);
  return async () => {
    tracer.kill('SIGINT');
    await once(tracer, 'exit');
  };
}

// Skipped where strace is missing or may not trace: nothing else lets a disk fail from outside.
const options = { timeout: 60_000, skip: !canTrace() };

test.each([
  ['a full disk', 'pwrite64', 'ENOSPC'],
  ['a disk that fails to write', 'pwrite64', 'EIO'],
  ['a disk that fails to sync', 'fsync,fdatasync', 'EIO'],
])(
  'with %s, writes are refused with a code, and what is served goes on',
  options,
  async (_, calls, error) => {
    expect(await toggle(true)).toMatchObject({ status: 200 });
    const { etag } = await read();
    const heal = await inject(calls, error);
    for (let count = 0; count < 5; count++) {
      expect(await toggle(false)).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      expect((await evaluate()).status).toBe(200);
      expect(await read()).toMatchObject({ status: 200, etag });
      expect((await list()).status).toBe(200);
    }
    await heal();
    await expect.poll(async () => (await toggle(false)).status, { timeout: 5_000 }).toBe(200);
    expect((await read()).etag).not.toBe(etag);
    expect(spawnSync('kill', ['-0', String(server.child.pid)]).status).toBe(0);
  },
);
