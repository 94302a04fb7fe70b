import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianTool } from '../../scripts/debian-tools.ts';
import { freePort } from '../../scripts/free-port.ts';

/** A real redis-server that stores nothing on disk. */
export interface TestRedis {
  readonly url: string;
  start(): Promise<void>;
  /** Ends the server; its data are lost. */
  stop(): Promise<void>;
  /** The server keeps its connections, but answers nothing until it is resumed. */
  suspend(): void;
  resume(): void;
  remove(): Promise<void>;
}

/** Starts a redis-server on a free port, or says in one line why there is none. */
export async function startRedis(): Promise<TestRedis | { readonly missing: string }> {
  const tool = await debianTool('redis-server');
  if (tool.missing !== undefined) return { missing: tool.missing };
  const { path, env } = tool;
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const options = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder];
    const started = spawn(path, options, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    for await (const chunk of started.stdout) {
      if (String(chunk).includes('Ready to accept connections')) break;
    }
  };
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    suspend: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
