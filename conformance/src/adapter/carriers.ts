import { spawn } from 'node:child_process';
import { WebSocketServer } from 'ws';
import { createLineReader } from './lines.ts';

/** An open connection to an adapter. */
export interface Carrier {
  send(text: string): void;
  /**
   * Closes the adapter's stdin and waits for the process to end; kills it after the limit. Only a carrier that started
   * a process has this method.
   */
  waitForExit?(limitMs: number): Promise<Exit>;
  /** Ends the adapter and everything it started; settles when that is done. */
  close(): Promise<void>;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ms: number;
}

/** Receives what an adapter sends. */
export interface CarrierEvents {
  message(text: string): void;
  /** Free text for the report. */
  log(text: string): void;
  /** The adapter has ended or disconnected. */
  closed(why: string): void;
}

/** Connects to the adapter; called again after each crash. Rejects with a message to show to the user. */
export type Dial = (events: CarrierEvents) => Promise<Carrier>;

/** How long a process may take to end once its stdin is closed. */
const EXIT_LIMIT_MS = 2_000;

/** Starts the command in a shell and exchanges JSON lines over its stdin and stdout. */
export const dialCommand =
  (command: string, environment: NodeJS.ProcessEnv = process.env): Dial =>
  async (events) => {
    // A separate process group, so that the shell and all that it starts can be killed together.
    const isGrouped = process.platform !== 'win32';
    const child = spawn(command, { shell: true, detached: isGrouped, env: environment });
    const ended = new Promise<Omit<Exit, 'ms'>>((resolve) => {
      child.once('error', (error) => events.closed(`cannot start: ${error.message}`));
      child.once('close', (code, signal) => {
        events.closed(signal ? `ended by ${signal}` : `ended with exit code ${code}`);
        resolve({ code, signal });
      });
    });
    // The `close` event reports the end of the process.
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => events.log(chunk.toString()));
    const lines = createLineReader(events.message);
    child.stdout.on('data', lines.push);
    child.stdout.on('end', lines.end);
    const kill = () => {
      try {
        if (isGrouped && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    process.once('exit', kill);
    const waitForExit = async (limitMs: number): Promise<Exit> => {
      const started = performance.now();
      child.stdin.end();
      const timer = setTimeout(kill, limitMs);
      const exit = await ended;
      clearTimeout(timer);
      // Kills what the shell may have left running.
      kill();
      process.off('exit', kill);
      return { ...exit, ms: performance.now() - started };
    };
    return {
      send: (text) => child.stdin.write(`${text}\n`),
      waitForExit,
      close: async () => void (await waitForExit(EXIT_LIMIT_MS)),
    };
  };

/** Maximum number of parallel requests. More would be a load test of the adapter's server. */
const MAX_POSTS = 16;

/** POSTs each message to the URL. */
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
        const body = await answer.text();
        if (answer.ok) events.message(body);
        else events.closed(`answers ${answer.status} at ${url}: ${body.slice(0, 200)}`);
      } catch (error) {
        const { message, cause } = error as Error;
        const { code, message: why = message } = (cause ?? {}) as NodeJS.ErrnoException;
        if (!controller.signal.aborted) events.closed(`does not answer at ${url}: ${code ?? why}`);
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

/** Waits for an adapter that cannot listen itself, such as a page, to connect. */
export interface WebSocketListener {
  /** The WebSocket address to connect to. */
  readonly address: string;
  readonly dial: Dial;
  /** Adds output of the program that starts the adapter to the log. */
  log(text: string): void;
  /** Stops waiting: the adapter will not connect. */
  abandon(why: string): void;
  close(): Promise<void>;
}

const CONNECT_LIMIT_MS = 30_000;

/** Listens on the port for an adapter to connect; 0 chooses a free port. */
export const dialWebSocket = async (port: number): Promise<WebSocketListener> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const address = `ws://127.0.0.1:${(server.address() as { port: number }).port}`;
  let earlyLog = '';
  let abandoned: string | undefined;
  let events: CarrierEvents | undefined;
  let refuse: ((why: string) => void) | undefined;
  return {
    address,
    log(text) {
      if (events) events.log(text);
      else earlyLog += text;
    },
    abandon(why) {
      abandoned = why;
      refuse?.(why);
    },
    dial: (mine) =>
      new Promise<Carrier>((resolve, reject) => {
        events = mine;
        mine.log(earlyLog);
        earlyLog = '';
        const settle = () => {
          clearTimeout(timer);
          server.off('connection', accept);
          refuse = undefined;
        };
        const accept = (socket: import('ws').WebSocket) => {
          settle();
          socket.on('message', (data) => mine.message(String(data)));
          socket.on('close', () => mine.closed('closed the connection'));
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
          () => refuse?.(`${CONNECT_LIMIT_MS / 1_000} s have passed`),
          CONNECT_LIMIT_MS,
        );
        server.once('connection', accept);
        if (abandoned !== undefined) refuse(abandoned);
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => resolve());
      }),
  };
};
