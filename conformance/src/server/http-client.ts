import { setTimeout as sleep } from 'node:timers/promises';

/** One request to the tested server. */
export interface HttpRequest {
  readonly method: string;
  /** Relative to the base address, or with `root` to the host. */
  readonly path: string;
  readonly root?: boolean;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text is sent unchanged. */
  readonly body?: unknown;
  /** Reads the status and headers and ends the request: for a stream, whose body has no end. */
  readonly headersOnly?: boolean;
}

/** The response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; a text if it is not JSON, undefined if there is none. */
  readonly body: unknown;
  readonly text: string;
}

/** Sends requests to the tested server. */
export interface HttpClient {
  /** Waits after a 429 and repeats the request. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Returns a 429 like any other response: for scenarios about limits. */
  sendWithoutRetry(request: HttpRequest): Promise<HttpResponse>;
  /** Adds a check of every response, which returns what is wrong with it. */
  onResponse(check: ResponseCheck): void;
  /** What the checks have found since the last call. */
  takeFaults(): string[];
}

export type ResponseCheck = (request: HttpRequest, response: HttpResponse) => string | undefined;

/** The longest wait after a 429. */
const MAX_WAIT_MS = 70_000;
const REQUEST_LIMIT_MS = 30_000;

/** `log` receives a line for each wait. */
export const createHttpClient = (baseUrl: string, log: (text: string) => void): HttpClient => {
  const base = baseUrl.replace(/\/+$/, '');
  const host = base.replace(/\/api\/v1$/, '');
  const checks: ResponseCheck[] = [];
  let faults: string[] = [];

  const sendWithoutRetry = async (request: HttpRequest): Promise<HttpResponse> => {
    const { method, path, root = false, query = {}, headers = {}, body, headersOnly = false } = request;
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
    if (headersOnly) await response.body?.cancel();
    const text = headersOnly ? '' : await response.text();
    const received = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: parse(text),
      text,
    };
    for (const check of checks) {
      const fault = check(request, received);
      if (fault !== undefined) faults.push(fault);
    }
    return received;
  };
  return {
    sendWithoutRetry,
    async send(request) {
      for (;;) {
        const answer = await sendWithoutRetry(request);
        const waitMs = Number(answer.headers['retry-after']) * 1000;
        if (answer.status !== 429 || !(waitMs > 0) || waitMs > MAX_WAIT_MS) return answer;
        log(`${request.method} ${request.path} is limited: waiting ${waitMs / 1000} s\n`);
        await sleep(waitMs + 50);
      }
    },
    onResponse: (check) => void checks.push(check),
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
