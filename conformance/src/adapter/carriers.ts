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
        const said = await answer.text();
        if (answer.ok) events.message(said);
        else events.gone(`answers ${answer.status} at ${url}: ${said.slice(0, 200)}`);
      } catch (error) {
        const { message, cause } = error as Error;
        const { code, message: why = message } = (cause ?? {}) as NodeJS.ErrnoException;
        if (!controller.signal.aborted) events.gone(`does not answer at ${url}: ${code ?? why}`);
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

/** Where adapters that cannot listen, such as a page, connect to. */
export interface Meeting {
  /** What the other side dials. */
  readonly address: string;
  readonly dial: Dial;
  /** Free text of the program that starts the other side. */
  note(text: string): void;
  /** Nobody will connect any more. */
  giveUp(why: string): void;
  close(): Promise<void>;
}

const MEETING_LIMIT_MS = 30_000;

/** Waits for an adapter to connect to the port; 0 is any that is free. */
export const dialWebSocket = async (port: number): Promise<Meeting> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const address = `ws://127.0.0.1:${(server.address() as { port: number }).port}`;
  let early = '';
  let over: string | undefined;
  let events: CarrierEvents | undefined;
  let refuse: ((why: string) => void) | undefined;
  return {
    address,
    note(text) {
      if (events) events.log(text);
      else early += text;
    },
    giveUp(why) {
      over = why;
      refuse?.(why);
    },
    dial: (mine) =>
      new Promise<Carrier>((resolve, reject) => {
        events = mine;
        mine.log(early);
        early = '';
        const settle = () => {
          clearTimeout(timer);
          server.off('connection', accept);
          refuse = undefined;
        };
        const accept = (socket: import('ws').WebSocket) => {
          settle();
          socket.on('message', (data) => mine.message(String(data)));
          socket.on('close', () => mine.gone('closed the connection'));
          socket.on('error', (error) => mine.log(error.message));
          resolve({
            send: (text) => socket.send(text),
            async close() {
              socket.terminate();
            },
          });
        };
        refuse = (why) => {
          settle();
          reject(new Error(`${why}, and nobody connected to ${address}`));
        };
        const timer = setTimeout(
          () => refuse?.(`${MEETING_LIMIT_MS / 1_000} s have passed`),
          MEETING_LIMIT_MS,
        );
        server.once('connection', accept);
        if (over !== undefined) refuse(over);
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => resolve());
      }),
  };
};
