import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The result of one measured interval. */
export interface LoadResult {
  readonly answered: number;
  readonly seconds: number;
  /** Share of one core that the generator used. If it is near 1, the generator was the bottleneck. */
  readonly generatorLoad: number;
  /** Number of answers for each status other than the expected one. */
  readonly unexpected: Readonly<Record<string, number>>;
}

/** Connections to one server that stay open between measured intervals. */
export interface Load {
  /** Sends requests for this time, and resolves when the last answer has arrived. */
  run(durationMs: number): Promise<LoadResult>;
  close(): void;
}

export interface LoadOptions {
  readonly port: number;
  /** Whole requests, head and body, as bytes; sent round-robin. */
  readonly requests: readonly Buffer[];
  readonly expectedStatus: number;
  readonly connections: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Opens keep-alive connections. A run sends one request at a time on each of them and counts the answers. It parses
 * only the status and the length of an answer, so that one core can saturate a server on another core.
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
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => openConnection(port, onAnswer)),
  );
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

/** Opens one connection, which calls `onAnswer` for each answer and sends the request that it returns. */
async function openConnection(
  port: number,
  onAnswer: (status: number) => Buffer | undefined,
): Promise<Socket> {
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
