import type { Carrier, Dial, Exit } from './carriers.ts';
import { toAsciiJson } from './lines.ts';
import { type Answer, type Hello, PROTOCOL, parseAnswer, parseHello, type Request } from './messages.ts';

/** A conversation with one adapter, which may crash: the next request starts it again. */
export interface Session {
  /** Starts the adapter if need be, and gives what it says of itself. Rejects with a sentence. */
  hello(): Promise<Hello>;
  /** Asks once. Never rejects: no answer, or one that is none, is the answer `crash`. */
  ask(request: Request, limitMs?: number): Promise<Answer>;
  /** Free text and crashes since the last call. */
  takeLog(): string;
  /** How often the adapter had to be started again. */
  restarts(): number;
  /**
   * Ends its stdin without a word and waits for the process to end by itself, at most so long. Undefined when it is
   * no process of ours.
   */
  leave(limitMs: number): Promise<Exit | undefined>;
  /** Says `stop` and ends it. */
  close(): Promise<void>;
}

/** What is kept of an adapter's free text. */
const MAX_LOG_LENGTH = 8_192;
/** An adapter that does not even start so often in a row is not tried again. */
const MAX_FALSE_STARTS = 3;

interface Live {
  readonly carrier: Carrier;
  readonly waiting: Map<number, (answer: Answer) => void>;
}

export const createSession = (dial: Dial, options: { readonly timeoutMs?: number } = {}): Session => {
  const { timeoutMs = 10_000 } = options;
  let live: Live | undefined;
  let starting: Promise<Hello> | undefined;
  let seq = 0;
  let starts = 0;
  let falseStarts = 0;
  let log = '';

  const note = (text: string) => {
    log = (log + text).slice(-MAX_LOG_LENGTH);
  };
  const fail = (which: Live, message: string) => {
    if (live === which) {
      live = undefined;
      starting = undefined;
      note(`\n[crash] ${message}\n`);
    }
    for (const settle of which.waiting.values()) settle({ kind: 'crash', message });
    which.waiting.clear();
    void which.carrier.close();
  };
  const receive = (which: Live, text: string) => {
    try {
      const { seq: given, answer } = parseAnswer(text);
      const settle = which.waiting.get(given as number);
      if (!settle) {
        const same = which.waiting.has(Number(given)) ? `, the number ${given} and not a text` : '';
        throw new Error(
          `an answer repeats the seq of its request${same}; nobody waits for this one: ${text}`,
        );
      }
      which.waiting.delete(given as number);
      settle(answer);
    } catch (error) {
      fail(which, (error as Error).message);
    }
  };
  const post = (which: Live, request: Request, limitMs: number): Promise<Answer> =>
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
    if (falseStarts >= MAX_FALSE_STARTS) throw new Error('the adapter does not start');
    starts++;
    falseStarts++;
    let mine: Live | undefined;
    let early = '';
    const carrier = await dial({
      message: (text) => mine && receive(mine, text),
      log: note,
      gone: (why) => {
        early = why;
        if (mine) fail(mine, `the adapter ${why}`);
      },
    });
    mine = { carrier, waiting: new Map() };
    live = mine;
    if (early) fail(mine, `the adapter ${early}`);
    const answer = early
      ? ({ kind: 'crash', message: `the adapter ${early}` } as const)
      : await post(mine, { cmd: 'hello', protocol: PROTOCOL }, Math.max(timeoutMs, 30_000));
    if (answer.kind !== 'ok') throw new Error(`hello was not answered: ${describe(answer)}`);
    const hello = parseHello(answer.value);
    falseStarts = 0;
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
      return live
        ? post(live, request, limitMs)
        : { kind: 'crash', message: 'the adapter ended while it was asked' };
    },
    takeLog() {
      const taken = log.trim();
      log = '';
      return taken;
    },
    restarts: () => Math.max(0, starts - 1),
    async leave(limitMs) {
      const last = live;
      if (!last?.carrier.leave) return undefined;
      live = undefined;
      starting = undefined;
      return last.carrier.leave(limitMs);
    },
    async close() {
      if (!live) return;
      const last = live;
      await post(last, { cmd: 'stop' }, 2_000);
      live = undefined;
      await last.carrier.close();
    },
  };
};

/** An answer in words. */
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
