import { spawn } from 'node:child_process';
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

/**
 * A shell that starts a program, prints its process id, and kills it as soon as its own input ends: also when this
 * process is killed, whose end of the pipe then closes.
 */
const KEEPER = '"$@" <&- & echo "pid $!"; exec >&-; read -r _; kill -9 $!; wait';

/** Starts a redis-server on a free port, or says in one line why there is none. */
export async function startRedis(): Promise<TestRedis | { readonly missing: string }> {
  const tool = await debianTool('redis-server');
  if (tool.missing !== undefined) return { missing: tool.missing };
  const { path, env } = tool;
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-redis-'));
  const port = await freePort();
  let running: { readonly pid: number; readonly end: () => Promise<unknown> } | undefined;

  const start = async (): Promise<void> => {
    const options = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder];
    const keeper = spawn('sh', ['-c', KEEPER, 'sh', path, ...options], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(keeper, 'exit');
    const end = () => {
      keeper.stdin.end();
      return exit;
    };
    let text = '';
    for await (const chunk of keeper.stdout) {
      text += chunk;
      if (text.includes('Ready to accept connections')) break;
    }
    if (!text.includes('Ready to accept connections')) {
      await end();
      throw new Error(`redis-server did not start: ${text}`);
    }
    running = { pid: Number(/^pid (\d+)$/m.exec(text)![1]), end };
  };
  const stop = async (): Promise<void> => {
    await running?.end();
    running = undefined;
  };
  const signal = (name: NodeJS.Signals): void => {
    if (running !== undefined) process.kill(running.pid, name);
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
