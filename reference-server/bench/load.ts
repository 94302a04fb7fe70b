import { connect, type Socket } from 'node:net';

/** One measured run. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Share of one core that the generator itself used; near 1, it was the bottleneck. */
  readonly generatorLoad: number;
  /** Status of the answers that were not the expected one, and how many. */
  readonly unexpected: Readonly<Record<string, number>>;
}

export interface LoadOptions {
  readonly port: number;
  /** Whole requests, head and body, as they go over the wire; sent in turns. */
  readonly requests: readonly Buffer[];
  readonly expectedStatus: number;
  readonly connections: number;
  readonly durationMs: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Sends requests over kept-alive connections, each waiting for its answer, and counts the answers. It
 * reads no more of them than it must, so that one core drives a server on another one to its limit.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const unexpected: Record<string, number> = {};
  const { requests, expectedStatus } = options;
  let answered = 0;
  let sent = 0;
  let isOver = false;
  const next = (): Buffer => requests[sent++ % requests.length]!;
  const onAnswer = (status: number): Buffer | undefined => {
    answered += 1;
    if (status !== expectedStatus) unexpected[status] = (unexpected[status] ?? 0) + 1;
    return isOver ? undefined : next();
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  const done = Array.from({ length: options.connections }, () => converse(options.port, next(), onAnswer));
  await new Promise((resolve) => setTimeout(resolve, options.durationMs));
  isOver = true;
  const seconds = (performance.now() - start) / 1000;
  const requestsPerSecond = answered / seconds;
  const used = process.cpuUsage(cpu);
  await Promise.all(done);
  return { requestsPerSecond, generatorLoad: (used.user + used.system) / 1e6 / seconds, unexpected };
}

/** One connection: sends `first`, and then what `onAnswer` gives for each answer, until that is nothing. */
function converse(
  port: number,
  first: Buffer,
  onAnswer: (status: number) => Buffer | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let missing = 0;
    let status = 0;
    let head: Buffer | undefined;
    const finish = (): void => {
      const next = onAnswer(status);
      if (next === undefined) socket.end();
      else socket.write(next);
    };
    socket.on('connect', () => socket.write(first));
    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length;
        if (missing === 0) finish();
        return;
      }
      const bytes = head === undefined ? chunk : Buffer.concat([head, chunk]);
      const end = bytes.indexOf(HEAD_END);
      if (end < 0) {
        head = bytes;
        return;
      }
      head = undefined;
      const text = bytes.toString('latin1', 0, end);
      status = Number(text.slice(9, 12));
      const length = /content-length: (\d+)/i.exec(text);
      missing = end + 4 + (length === null ? 0 : Number(length[1])) - bytes.length;
      if (missing === 0) finish();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}
