import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One measured span. */
export interface LoadResult {
  readonly answered: number;
  readonly seconds: number;
  /** Share of one core that the generator itself used; near 1, it was the bottleneck. */
  readonly generatorLoad: number;
  /** Status of the answers that were not the expected one, and how many. */
  readonly unexpected: Readonly<Record<string, number>>;
}

/** Connections to one server that stay open from one span to the next. */
export interface Load {
  /** Asks for so long, and resolves when the last answer is there. */
  run(durationMs: number): Promise<LoadResult>;
  close(): void;
}

export interface LoadOptions {
  readonly port: number;
  /** Whole requests, head and body, as they go over the wire; sent in turns. */
  readonly requests: readonly Buffer[];
  readonly expectedStatus: number;
  readonly connections: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Sends requests over kept-alive connections, each waiting for its answer, and counts the answers. It
 * reads no more of them than it must, so that one core drives a server on another one to its limit.
 */
export async function openLoad({ port, requests, expectedStatus, connections }: LoadOptions): Promise<Load> {
  let unexpected: Record<string, number> = {};
  let answered = 0;
  let sent = 0;
  let isOver = true;
  let busy = 0;
  let onIdle = (): void => {};
  const next = (): Buffer => requests[sent++ % requests.length]!;
  const onAnswer = (status: number): Buffer | undefined => {
    answered += 1;
    if (status !== expectedStatus) unexpected[status] = (unexpected[status] ?? 0) + 1;
    if (!isOver) return next();
    busy -= 1;
    if (busy === 0) onIdle();
    return undefined;
  };
  const sockets = await Promise.all(Array.from({ length: connections }, () => converse(port, onAnswer)));
  return {
    async run(durationMs) {
      [unexpected, answered, isOver, busy] = [{}, 0, false, connections];
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      const cpu = process.cpuUsage();
      const start = performance.now();
      for (const socket of sockets) socket.write(next());
      await new Promise((resolve) => setTimeout(resolve, durationMs));
      isOver = true;
      await idle;
      const seconds = (performance.now() - start) / 1000;
      const used = process.cpuUsage(cpu);
      return { answered, seconds, generatorLoad: (used.user + used.system) / 1e6 / seconds, unexpected };
    },
    close: () => {
      for (const socket of sockets) socket.end();
    },
  };
}

/** One connection: tells of each answer, and sends what it is given then. */
async function converse(port: number, onAnswer: (status: number) => Buffer | undefined): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  let missing = 0;
  let status = 0;
  let head: Buffer | undefined;
  const finish = (): void => {
    const next = onAnswer(status);
    if (next !== undefined) socket.write(next);
  };
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
  return socket;
}
