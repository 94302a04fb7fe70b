import { spawn } from 'node:child_process';
import { WebSocketServer } from 'ws';
import { createLineReader } from './lines.ts';

/** One way to an adapter, open. */
export interface Carrier {
  send(text: string): void;
  /** Ends its input and waits at most so long for it to end by itself, then ends it. Only processes can. */
  leave?(limitMs: number): Promise<Exit>;
  /** Ends it and what it started; settles when that is done. */
  close(): Promise<void>;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ms: number;
}

/** Who is told of what comes in. */
export interface CarrierEvents {
  message(text: string): void;
  /** Free text, for the report. */
  log(text: string): void;
  /** The other side is no longer there. */
  gone(why: string): void;
}

/** Opens a way to the adapter, anew after each crash. Rejects with a sentence. */
export type Dial = (events: CarrierEvents) => Promise<Carrier>;

/** How long a process may take to end by itself once its stdin is closed. */
const GRACE_MS = 2_000;

/** Starts the command in a shell and talks JSON lines over its stdin and stdout. */
export const dialCommand =
  (command: string, environment: NodeJS.ProcessEnv = process.env): Dial =>
  async (events) => {
    // A group of its own: the shell and all that it starts can be ended together.
    const grouped = process.platform !== 'win32';
    const child = spawn(command, { shell: true, detached: grouped, env: environment });
    const ended = new Promise<Omit<Exit, 'ms'>>((resolve) => {
      child.once('error', (error) => events.gone(`cannot start: ${error.message}`));
      child.once('close', (code, signal) => {
        events.gone(signal ? `ended by ${signal}` : `ended with exit code ${code}`);
        resolve({ code, signal });
      });
    });
    // Its end is told by `close`.
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => events.log(chunk.toString()));
    const lines = createLineReader(events.message);
    child.stdout.on('data', lines.push);
    child.stdout.on('end', lines.end);
    const kill = () => {
      try {
        if (grouped && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // It was gone already.
      }
    };
    process.once('exit', kill);
    const leave = async (limitMs: number): Promise<Exit> => {
      const started = performance.now();
      child.stdin.end();
      const timer = setTimeout(kill, limitMs);
      const how = await ended;
      clearTimeout(timer);
      // What the shell left behind.
      kill();
      process.off('exit', kill);
      return { ...how, ms: performance.now() - started };
    };
    return {
      send: (text) => child.stdin.write(`${text}\n`),
      leave,
      close: async () => void (await leave(GRACE_MS)),
    };
  };

/** More than this at once would be a test of the adapter's server. */
const MAX_POSTS = 16;

/** POSTs each message to the address. */
export const dialHttp =
  (url: string): Dial =>
  async (events) => {
    const open = new Set<AbortController>();
    const waiting: string[] = [];
    const next = () => {
      const text = open.size < MAX_POSTS ? waiting.shift() : undefined;
      if (text !== undefined) void post(text);
    };
    const post = async (text: string) => {
      const controller = new AbortController();
      open.add(controller);
      try {
        const answer = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: text,
          signal: controller.signal,
        });
        events.message(await answer.text());
      } catch (error) {
        if (!controller.signal.aborted) events.gone(`no answer from ${url}: ${(error as Error).message}`);
      } finally {
        open.delete(controller);
        next();
      }
    };
    return {
      send(text) {
        waiting.push(text);
        next();
      },
      async close() {
        waiting.length = 0;
        for (const controller of open) controller.abort();
      },
    };
  };

/** Waits for an adapter that cannot listen, such as a page, to connect. `start` tells it where. */
export const dialWebSocket = async (
  port: number,
  start: (address: string) => void,
): Promise<{ dial: Dial; close(): Promise<void> }> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const address = `ws://127.0.0.1:${(server.address() as { port: number }).port}`;
  start(address);
  return {
    dial: (events) =>
      new Promise<Carrier>((resolve, reject) => {
        const timer = setTimeout(() => {
          server.off('connection', accept);
          reject(new Error(`nobody connected to ${address} within 30 s`));
        }, 30_000);
        const accept = (socket: import('ws').WebSocket) => {
          clearTimeout(timer);
          socket.on('message', (data) => events.message(String(data)));
          socket.on('close', () => events.gone('closed the connection'));
          socket.on('error', (error) => events.log(error.message));
          resolve({
            send: (text) => socket.send(text),
            async close() {
              socket.terminate();
            },
          });
        };
        server.once('connection', accept);
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => resolve());
      }),
  };
};
