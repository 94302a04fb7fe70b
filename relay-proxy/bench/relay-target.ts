import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchServer } from '../../reference-server/bench/start-server.ts';

const PROGRAM = fileURLToPath(new URL('../dist/process/main.js', import.meta.url));
const PAGE_BYTES = 4_096;
const MICROS_PER_TICK = 10_000;
/** Options of Node with which a signal collects garbage. */
const COLLECTING = ['--expose-gc', '--import', 'data:text/javascript,process.on("SIGUSR2",()=>gc())'];

/** The built relay as a process, measured from outside by /proc. */
export interface RelayTarget extends BenchServer {
  /** Milliseconds from the start of the process to its first evaluation. */
  readonly startMs: number;
  /** Collects garbage; needs the option `canCollect`. Resolves a second later. */
  collect(): Promise<void>;
  /** Resolves when the process has ended. */
  end(): Promise<void>;
}

export interface RelayTargetOptions {
  readonly upstreamUrl: string;
  readonly relayKey: string;
  /** A server key, with which the first evaluation is sent. */
  readonly apiKey: string;
  readonly folder: string;
  /** A command in front of Node, such as `taskset`. */
  readonly prefix?: readonly string[];
  /** Default false, because it takes time at the start. */
  readonly canCollect?: boolean;
}

/** Starts the relay and waits until it evaluates flags. */
export async function startRelayTarget(options: RelayTargetOptions): Promise<RelayTarget> {
  if (!existsSync(PROGRAM)) throw new Error('The relay is not built: run `npm run build` first.');
  const { upstreamUrl, relayKey, apiKey, folder, prefix = [], canCollect = false } = options;
  const startedAt = performance.now();
  const [file, ...args] = [...prefix, process.execPath, ...(canCollect ? COLLECTING : []), PROGRAM];
  const child = spawn(file!, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      FLAGSVC_RELAY_UPSTREAM_URL: upstreamUrl,
      FLAGSVC_RELAY_KEYS: relayKey,
      FLAGSVC_RELAY_PORT: '0',
      FLAGSVC_RELAY_DATA_DIR: folder,
    },
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.on('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const port = await portOf(child);
  while ((await evaluate(port, apiKey)) !== 200) await wait(2);
  const startMs = performance.now() - startedAt;
  return {
    port,
    apiKey,
    startMs,
    usage: async () => usageOf(child.pid!),
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    stop: () => void child.kill('SIGKILL'),
    async collect() {
      child.kill('SIGUSR2');
      await wait(1_000);
    },
    async end() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function portOf(child: ChildProcess): Promise<number> {
  let output = '';
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const port = /listening on http:\/\/[^"\s]+:(\d+)/.exec(output)?.[1];
    if (port === undefined) continue;
    child.stdout!.resume();
    return Number(port);
  }
  throw new Error(`The relay ended before it listened: ${output}`);
}

function evaluate(port: number, apiKey: string): Promise<number> {
  const body = JSON.stringify({ flags: ['*'], context: { user_key: 'u' } });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request({ port, path: '/api/v1/evaluate', method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    })
      .on('error', reject)
      .end(body);
  });
}

function usageOf(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return {
    cpuMicros: (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK,
    rssBytes: pages * PAGE_BYTES,
  };
}
