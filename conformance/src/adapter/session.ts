import type { Carrier, Dial, Exit } from './carriers.ts';
import { toAsciiJson } from './lines.ts';
import { type Answer, type Hello, PROTOCOL, parseAnswer, parseHello, type Request } from './messages.ts';

/** Talks to one adapter. If it crashes, the next request restarts it. */
export interface Session {
  /** Starts the adapter if necessary and returns its description. Rejects with a message to show to the user. */
  hello(): Promise<Hello>;
  /** Sends a request. Never rejects; a missing or invalid answer becomes the answer `crash`. */
  ask(request: Request, limitMs?: number): Promise<Answer>;
  /** The adapter's free text and crashes since the last call. */
  takeLog(): string;
  /** How many times the adapter had to be restarted. */
  restarts(): number;
  /**
   * Closes the adapter's stdin without sending a command, and waits for the process to end, at most `limitMs`. Resolves
   * with undefined if the kit did not start the process.
   */
  waitForExit(limitMs: number): Promise<Exit | undefined>;
  /** Sends `stop` and ends the adapter. */
  close(): Promise<void>;
}

/** How many characters of an adapter's free text are kept. */
const MAX_LOG_LENGTH = 8_192;
/** After this many failed starts in a row, the adapter is not started again. */
const MAX_FAILED_STARTS = 3;

/** A running adapter and the requests that wait for its answers. */
interface Connection {
  readonly carrier: Carrier;
  readonly waiting: Map<number, (answer: Answer) => void>;
}

/** An adapter to run cases against. */
export interface Adapter {
  readonly session: Session;
  readonly hello: Hello;
}

export const createSession = (dial: Dial, options: { readonly timeoutMs?: number } = {}): Session => {
  const { timeoutMs = 10_000 } = options;
  let current: Connection | undefined;
  let starting: Promise<Hello> | undefined;
  let seq = 0;
  let starts = 0;
  let failedStarts = 0;
  let log = '';

  const note = (text: string) => {
    log = (log + text).slice(-MAX_LOG_LENGTH);
  };
  const fail = (which: Connection, message: string) => {
    if (current === which) {
      current = undefined;
      starting = undefined;
      note(`\n[crash] ${message}\n`);
    }
    for (const settle of which.waiting.values()) settle({ kind: 'crash', message });
    which.waiting.clear();
    void which.carrier.close();
  };
  const receive = (which: Connection, text: string) => {
    try {
      const { seq: given, answer } = parseAnswer(text);
      const settle = which.waiting.get(given as number);
      if (!settle) {
        const hint = which.waiting.has(Number(given)) ? ` as the number ${given}, not as a text` : '';
        throw new Error(
          `an answer must repeat the seq of its request${hint}; no request waits for this one: ${text}`,
        );
      }
      which.waiting.delete(given as number);
      settle(answer);
    } catch (error) {
      fail(which, (error as Error).message);
    }
  };
  const post = (which: Connection, request: Request, limitMs: number): Promise<Answer> =>
    new Promise((resolve) => {
      const mine = ++seq;
      const timer = setTimeout(
        () => fail(which, `no answer to ${request.cmd} within ${limitMs} ms`),
        limitMs,
      );
      which.waiting.set(mine, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      which.carrier.send(toAsciiJson({ seq: mine, ...request }));
    });
  const start = async (): Promise<Hello> => {
    if (failedStarts >= MAX_FAILED_STARTS) throw new Error('the adapter does not start');
    starts++;
    failedStarts++;
    let mine: Connection | undefined;
    let closedEarly = '';
    const carrier = await dial({
      message: (text) => mine && receive(mine, text),
      log: note,
      closed: (why) => {
        closedEarly = why;
        if (mine) fail(mine, `the adapter ${why}`);
      },
    });
    mine = { carrier, waiting: new Map() };
    current = mine;
    if (closedEarly) fail(mine, `the adapter ${closedEarly}`);
    const answer = closedEarly
      ? ({ kind: 'crash', message: `the adapter ${closedEarly}` } as const)
      : await post(mine, { cmd: 'hello', protocol: PROTOCOL }, Math.max(timeoutMs, 30_000));
    if (answer.kind !== 'ok') throw new Error(`hello was not answered: ${describe(answer)}`);
    const hello = parseHello(answer.value);
    failedStarts = 0;
    return hello;
  };
  const ready = () => {
    starting ??= start().catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  };

  return {
    hello: ready,
    async ask(request, limitMs = timeoutMs) {
      try {
        await ready();
      } catch (error) {
        return { kind: 'crash', message: (error as Error).message };
      }
      return current
        ? post(current, request, limitMs)
        : { kind: 'crash', message: 'the adapter ended during the request' };
    },
    takeLog() {
      const taken = log.trim();
      log = '';
      return taken;
    },
    restarts: () => Math.max(0, starts - 1),
    async waitForExit(limitMs) {
      const last = current;
      if (!last?.carrier.waitForExit) return undefined;
      current = undefined;
      starting = undefined;
      return last.carrier.waitForExit(limitMs);
    },
    async close() {
      if (!current) return;
      const last = current;
      await post(last, { cmd: 'stop' }, 2_000);
      current = undefined;
      await last.carrier.close();
    },
  };
};

/** An answer as text for messages. */
export const describe = (answer: Answer): string => {
  switch (answer.kind) {
    case 'ok':
      return JSON.stringify(answer.value);
    case 'skipped':
      return `skipped: ${answer.reason}`;
    case 'error':
      return `${answer.error}: ${answer.message}`;
    case 'crash':
      return answer.message;
  }
};
