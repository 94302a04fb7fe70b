import { setTimeout as sleep } from 'node:timers/promises';

/** One request to the tested server. */
export interface ServerCall {
  readonly method: string;
  /** Below the base address, or below the host with `root`. */
  readonly path: string;
  readonly root?: boolean;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text goes as it is. */
  readonly body?: unknown;
}

/** What came back. */
export interface ServerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON; undefined when there is none. */
  readonly body: unknown;
  readonly text: string;
}

/** Sends requests to the tested server, one at a time or many. */
export interface Caller {
  send(call: ServerCall): Promise<ServerAnswer>;
  /** The same, but a 429 is an answer like any other: for scenarios about limits. */
  sendOnce(call: ServerCall): Promise<ServerAnswer>;
  /** Called with each answer, to hold it against openapi.json. */
  onAnswer(listener: (call: ServerCall, answer: ServerAnswer) => string | undefined): void;
  /** What listeners had to say since the last call. */
  takeFaults(): string[];
}

/** Longest time that the suite waits for a limit to pass. */
const MAX_WAIT_MS = 70_000;
const REQUEST_LIMIT_MS = 30_000;

export const createCaller = (baseUrl: string, note: (text: string) => void): Caller => {
  const base = baseUrl.replace(/\/+$/, '');
  const host = base.replace(/\/api\/v1$/, '');
  const listeners: ((call: ServerCall, answer: ServerAnswer) => string | undefined)[] = [];
  let faults: string[] = [];

  const sendOnce = async (call: ServerCall): Promise<ServerAnswer> => {
    const { method, path, root = false, query = {}, headers = {}, body } = call;
    const search = new URLSearchParams(
      Object.entries(query)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const url = `${root ? host : base}${path}${search && `?${search}`}`;
    const response = await fetch(url, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    }).catch((error: Error & { cause?: NodeJS.ErrnoException }) => {
      throw new Error(
        `no answer to ${method} ${url}: ${error.cause?.code ?? error.cause?.message ?? error.message}`,
      );
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: parse(text),
      text,
    };
    for (const listener of listeners) {
      const fault = listener(call, answer);
      if (fault !== undefined) faults.push(fault);
    }
    return answer;
  };
  return {
    sendOnce,
    async send(call) {
      for (;;) {
        const answer = await sendOnce(call);
        const waitMs = Number(answer.headers['retry-after']) * 1000;
        if (answer.status !== 429 || !(waitMs > 0) || waitMs > MAX_WAIT_MS) return answer;
        note(`${call.method} ${call.path} is limited: waiting ${waitMs / 1000} s\n`);
        await sleep(waitMs + 50);
      }
    },
    onAnswer: (listener) => void listeners.push(listener),
    takeFaults() {
      const taken = faults;
      faults = [];
      return taken;
    },
  };
};

const parse = (text: string): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
