import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeOf } from '../api-call.ts';
import { connect, install } from '../installation.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { canTrace } from './power-loss.ts';

let folder: string;
let server: ServerProcess;
let clients: ReturnType<typeof connect>;
let flagId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-disk-'));
  server = startServer({ FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}` });
  const url = await server.url;
  const installation = await install(url, 1);
  clients = connect(url, installation);
  flagId = installation.flagIds[0]!;
  // The first request loads the ruleset into memory.
  await read();
}, 60_000);
afterEach(async () => {
  server.child.kill('SIGKILL');
  await server.exit;
  rmSync(folder, { recursive: true });
});

const read = () => clients.sdk.ruleset().answer;
const evaluate = () => clients.sdk.evaluate({ flags: ['*'], context: { user_key: 'u1' } });
const toggle = (enabled: boolean) => codeOf(clients.admin.flags.toggle(flagId, enabled));

/** Makes system calls of the server fail until the returned function is called. */
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

const options = { timeout: 60_000, skip: !canTrace() };

test.each([
  ['a full disk', 'pwrite64', 'ENOSPC'],
  ['a disk that fails to write', 'pwrite64', 'EIO'],
  ['a disk that fails to sync', 'fsync,fdatasync', 'EIO'],
])(
  'refuses writes with an error code and continues to serve reads on %s (skipped without strace)',
  options,
  async (_, calls, error) => {
    expect(await toggle(true)).toBe('OK');
    const { etag } = (await read()).headers;
    const heal = await inject(calls, error);
    for (let count = 0; count < 5; count++) {
      expect(await toggle(false)).toBe('SERVICE_UNAVAILABLE');
      await evaluate();
      expect(await read()).toMatchObject({ status: 200, headers: { etag } });
      await clients.admin.flags.list();
    }
    await heal();
    await expect.poll(() => toggle(false), { timeout: 5_000 }).toBe('OK');
    expect((await read()).headers.etag).not.toBe(etag);
    expect(spawnSync('kill', ['-0', String(server.child.pid)]).status).toBe(0);
  },
);
