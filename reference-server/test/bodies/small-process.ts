import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../bin/node-flags.mjs';

/** The first message of the child process. */
export interface Ready {
  readonly url: string;
  /** Access token of an admin. */
  readonly token: string;
  /** SDK keys of one environment, by kind. */
  readonly keys: Readonly<Record<'server' | 'client', string>>;
}

/** The processor time of the child process since its start, and its present memory. */
export interface Usage {
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** Bytes in use on the heap and in buffers. */
  readonly usedBytes: number;
}

/** A POST request. A list of buffers is sent as chunks. */
export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | readonly Buffer[];
}

export interface Answer {
  /** 0 if the connection closed without an answer. */
  readonly status: number;
  readonly text: string;
}

/** A server process with a small heap that reports its use of processor and memory. */
export interface SmallProcess extends Ready {
  post(post: Post): Promise<Answer>;
  /**
   * The answer and its processor time in ms. While the time is above `enough`, repeats the request up to three times;
   * the least time counts.
   */
  measure(post: Post, enough: number): Promise<Answer & { readonly cpuMs: number }>;
  /** With `isExact`, the process collects garbage first. */
  usage(isExact?: boolean): Promise<Usage>;
  stop(): Promise<void>;
}

const HEAP_MEGABYTES = 192;
/** Repeats enough that at least one measurement contains no major garbage collection and runs optimized code. */
const REPEATS = 15;

export async function startSmallProcess({ arriveMs = 15_000 } = {}): Promise<SmallProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-bodies-'));
  const child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), [folder, `${arriveMs}`], {
    execArgv: [
      ...['--conditions=@flagsvc/source', '--expose-gc', `--max-old-space-size=${HEAP_MEGABYTES}`],
      ...NODE_FLAGS,
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errorOutput = '';
  child.stderr!.on('data', (part) => {
    errorOutput += part;
  });
  const died = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The server ended with ${code ?? signal}: ${errorOutput.slice(0, 2_000)}`);
  });
  died.catch(() => {});
  const message = async <T>(): Promise<T> => (await Promise.race([once(child, 'message'), died]))[0] as T;
  const ready = await message<Ready>();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  const post = (one: Post): Promise<Answer> => Promise.race([exchange(ready.url, agent, one), died]);
  const usage = (isExact = false): Promise<Usage> => {
    const answer = message<Usage>();
    child.send(isExact, () => {});
    return answer;
  };
  const measureOnce = async (one: Post) => {
    const before = await usage();
    const answer = await post(one);
    return { ...answer, cpuMs: (await usage()).cpuMs - before.cpuMs };
  };

  return {
    ...ready,
    post,
    usage,
    async measure(one, enough) {
      let least = await measureOnce(one);
      for (let again = 0; again < REPEATS && least.cpuMs > enough; again++) {
        const other = await measureOnce(one);
        if (other.cpuMs < least.cpuMs) least = other;
      }
      return least;
    },
    async stop() {
      agent.destroy();
      if (child.connected) child.disconnect();
      await died.catch(() => {});
      rmSync(folder, { recursive: true });
    },
  };
}

async function exchange(url: string, agent: Agent, { path, headers, body }: Post): Promise<Answer> {
  const outgoing = request(`${url}${path}`, { method: 'POST', agent, headers });
  const arrived = new Promise<Answer>((resolve, reject) => {
    let answer: Answer | undefined;
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        answer = { status: response.statusCode!, text };
        resolve(answer);
      });
      response.on('error', () => resolve({ status: 0, text: '' }));
    });
    // The server may refuse the request and close the connection before everything is sent.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (answer !== undefined) return;
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 0, text: '' });
      else reject(error);
    });
  });
  if (Buffer.isBuffer(body)) outgoing.end(body);
  else {
    for (const part of body) outgoing.write(part);
    outgoing.end();
  }
  return arrived;
}
