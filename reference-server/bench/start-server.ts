import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../bin/node-flags.mjs';
import type { BenchReply, BenchRequest } from './server-process.ts';

const SOURCE = fileURLToPath(new URL('./server-process.ts', import.meta.url));

export interface BenchServer {
  readonly port: number;
  /** A server key of the production environment; `none` for the bare server. */
  readonly apiKey: string;
  /** With `collect`, the server collects garbage before it measures. */
  usage(options?: { readonly collect?: boolean }): Promise<Usage>;
  hasExited(): boolean;
  stop(): void;
}

export interface Usage {
  /** User and system time of the process since its start, in microseconds. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
}

export interface StartOptions {
  /** Path of the program. Default: the source file `server-process.ts`. */
  readonly program?: string;
  readonly kind?: 'flagsvc' | 'bare';
  readonly setup?: Omit<Extract<BenchRequest, { kind: 'start' }>, 'kind'>;
  /** A command in front of Node, such as `taskset`. */
  readonly prefix?: readonly string[];
}

/** Starts a server in a child process with the V8 options of the launcher. Throws if it does not start. */
export async function startServer(options: StartOptions = {}): Promise<BenchServer> {
  const { program = SOURCE, kind = 'flagsvc', setup = {}, prefix = [] } = options;
  const flags = [...NODE_FLAGS, '--expose-gc', '--conditions=@flagsvc/source'];
  const [file, ...args] = [...prefix, process.execPath, ...flags, program, kind];
  const child = spawn(file!, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  process.on('exit', () => child.kill());
  child.on('exit', (code) => {
    if (code !== null && code !== 0) throw new Error(`The ${kind} server exited with ${code}.`);
  });
  const started = await call(child, { kind: 'start', ...setup });
  if (started.kind !== 'started') throw new Error(`The ${kind} server did not start.`);
  return {
    port: started.port,
    apiKey: started.apiKey,
    async usage({ collect = false } = {}) {
      const reply = await call(child, { kind: 'usage', collect });
      if (reply.kind !== 'usage') throw new Error(`Expected the usage, received "${reply.kind}".`);
      return reply;
    },
    hasExited: () => child.exitCode !== null,
    stop: () => void child.kill(),
  };
}

async function call(child: ChildProcess, message: BenchRequest): Promise<BenchReply> {
  const answer = once(child, 'message');
  child.send(message);
  return ((await answer) as [BenchReply])[0];
}
