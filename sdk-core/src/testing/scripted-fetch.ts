import type { Clock, FetchInit, FetchLike, FetchReply } from '../client/ports.ts';

/** One scripted reply. */
export interface ScriptedReply {
  /** The HTTP status. Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, any other value as JSON. Default: no body. */
  readonly body?: unknown;
  /** Time until the head of the reply. Default 0. */
  readonly delayMs?: number;
  /** Time from the head to the end of the body; Infinity never ends. Default 0. */
  readonly bodyDelayMs?: number;
  /** The fetch rejects with this error instead of answering. */
  readonly error?: Error;
}

/** A request that the server has received. */
export interface SeenRequest extends Pick<FetchInit, 'method' | 'headers' | 'keepalive'> {
  readonly url: string;
  /** The path with the query, without the base address `http://test`. */
  readonly path: string;
  readonly body: string;
  /** Time of the request, by the simulated clock's monotonic time. */
  readonly atMs: number;
}

/** A simulated server. */
export interface ScriptedFetch {
  readonly fetch: FetchLike;
  /** All requests so far, or those of one path. */
  requests(path?: string): readonly SeenRequest[];
  /** Sets the replies of a path, in order; the last one repeats. A function is called for each request. */
  script(
    path: string,
    ...replies: readonly (ScriptedReply | ((request: SeenRequest) => ScriptedReply))[]
  ): void;
}

/** Creates a `fetch` whose replies are scripted. Paths without a script answer 404. */
export const createScriptedFetch = (clock: Clock): ScriptedFetch => {
  const scripts = new Map<string, (ScriptedReply | ((request: SeenRequest) => ScriptedReply))[]>();
  const seen: SeenRequest[] = [];

  const fetch: FetchLike = (url, { method, headers, body, keepalive, signal }) => {
    const path = url.replace(/^https?:\/\/[^/]+/, '');
    const request = {
      url,
      path,
      method,
      headers,
      keepalive,
      body: String(body ?? ''),
      atMs: clock.monotonic(),
    };
    seen.push(request);
    const script = scripts.get(path) ?? [{ status: 404 }];
    const entry = script.length > 1 ? script.shift()! : script[0]!;
    const reply = typeof entry === 'function' ? entry(request) : entry;
    const { status = 200, body: data, delayMs = 0, bodyDelayMs = 0, error } = reply;
    const text = typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data);
    const lower = new Map(
      Object.entries(reply.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );

    /** Resolves after a time, or rejects when the signal is aborted. */
    const after = <T>(ms: number, value: () => T) =>
      new Promise<T>((resolve, reject) => {
        const abort = () => reject(new Error('aborted'));
        if (signal.aborted) return abort();
        signal.addEventListener('abort', abort);
        if (ms === 0) resolve(value());
        else if (ms < Number.POSITIVE_INFINITY) clock.setTimer(() => resolve(value()), ms);
      });
    const answer: FetchReply = {
      status,
      headers: { get: (name) => lower.get(name.toLowerCase()) ?? null },
      text: () => after(bodyDelayMs, () => text),
    };
    return after(delayMs, () => answer).then((head) => {
      if (error) throw error;
      return head;
    });
  };
  return {
    fetch,
    requests: (path) => seen.filter((request) => path === undefined || request.path === path),
    script: (path, ...replies) => void scripts.set(path, [...replies]),
  };
};
