import type { Answer, Change, Data, DryRun, Endpoint, Item, List, Request, Warning } from './document.ts';
import { CliError, EXIT, interrupted } from './errors.ts';
import { cellText } from './table.ts';

/** A client of the API, for one server. Each call is typed by the document, and throws a CliError for what is no success. */
export interface Api {
  /** Without a path: `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The `data` of an answer. */
  call<E extends Endpoint>(endpoint: E, request: Request<E>): Promise<Data<E>>;
  /** The same of a write, or what it would do when it is a dry run. */
  change<E extends Change>(endpoint: E, request: Request<E> & Trial): Promise<Data<E> | DryRun>;
  /** One page of a list, with its `meta`. */
  list<E extends List>(endpoint: E, request: Request<E>): Promise<Answer<E>>;
  /** Every page of a list, at most `most` items. */
  all<E extends List>(endpoint: E, request: Request<E>, most?: number): Promise<readonly Item<E>[]>;
  /** The body of an answer as it came, in whatever format, and what the server warns of. */
  text<E extends Endpoint>(endpoint: E, request: Request<E>): Promise<TextAnswer>;
}

export interface TextAnswer {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Whether a write is only asked what it would do. */
interface Trial {
  readonly query?: { readonly dry_run?: boolean | undefined };
}

/** A request of whichever operation. What is undefined in it is left out. */
interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: object;
}

export interface ApiOptions {
  readonly url: string;
  readonly version: string;
  /** The headers that open the door; asked before each call. */
  readonly credentials: () => Readonly<Record<string, string>>;
  /** Called once when the access token has expired; true when it is worth another try. */
  readonly renew?: () => Promise<boolean>;
  /** Called with what an answer warns of. */
  readonly onWarnings?: (warnings: readonly Warning[]) => void;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const PAGE_SIZE = 200;

/** Aborted with the given one, or after the time. Node 22 may forget an `AbortSignal.any` of a timeout. */
function limited(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  setTimeout(() => {
    signal.removeEventListener('abort', abort);
    controller.abort(new DOMException('The server took too long to answer', 'TimeoutError'));
  }, TIMEOUT_MS).unref();
  return controller.signal;
}

export function createApi({ url, version, credentials, renew, onWarnings, signal }: ApiOptions): Api {
  const send = async (endpoint: Endpoint, { body, headers, ...parts }: Parts): Promise<Response> => {
    const [method, template] = endpoint.split(' ') as [string, string];
    try {
      return await fetch(`${url}/api/v1${fill(template, parts)}`, {
        method,
        // A token is for this server, not for whoever it points to.
        redirect: 'error',
        signal: limited(signal),
        headers: {
          accept: 'application/json',
          'user-agent': `flagsvc-cli/${version}`,
          'x-flagsvc-client': 'cli',
          // What we send and the server does not know would be lost without a word.
          prefer: 'handling=strict',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...credentials(),
          ...Object.fromEntries(given(headers)),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw unreachable(url, error as Error, signal);
    }
  };
  const answer = async (endpoint: Endpoint, parts: Parts): Promise<Response> => {
    let response = await send(endpoint, parts);
    if (response.status === 401 && renew !== undefined) {
      const error = await toError(response, url);
      if (error.code !== 'TOKEN_EXPIRED' || !(await renew())) throw error;
      response = await send(endpoint, parts);
    }
    if (!response.ok) throw await toError(response, url);
    return response;
  };
  const json = async (endpoint: Endpoint, parts: Parts): Promise<unknown> => {
    const text = await (await answer(endpoint, parts)).text();
    try {
      return text === '' ? { data: null } : JSON.parse(text);
    } catch {
      throw foreign(url, 'its answer is not JSON');
    }
  };
  const call = async <E extends Endpoint>(endpoint: E, request: Request<E>) => {
    const { data, warnings } = (await json(endpoint, request)) as {
      data: Data<E>;
      warnings?: readonly Warning[];
    };
    if (warnings !== undefined) onWarnings?.(warnings);
    return data;
  };
  return {
    url,
    call,
    change: call,
    list: async <E extends List>(endpoint: E, request: Request<E>) =>
      (await json(endpoint, request)) as Answer<E>,
    async all<E extends List>(endpoint: E, request: Request<E>, most = Number.POSITIVE_INFINITY) {
      const found: Item<E>[] = [];
      const parts: Parts = request;
      const per_page = Math.min(PAGE_SIZE, most);
      for (let page = 1; found.length < most; page++) {
        const got = await json(endpoint, { ...parts, query: { ...parts.query, page, per_page } });
        const { data, meta } = got as { data: readonly Item<E>[]; meta: { total: number } };
        found.push(...data);
        if (data.length === 0 || found.length >= meta.total) break;
      }
      return found.slice(0, most);
    },
    async text(endpoint, request) {
      const response = await answer(endpoint, { ...request, headers: { accept: '*/*' } });
      const warnings = response.headers.get('x-flagsvc-warnings')?.split(', ') ?? [];
      return { text: await response.text(), warnings: warnings.map((one) => decodeURIComponent(one)) };
    },
  };
}

/** A path of the document with its parameters and its query. */
function fill(template: string, { params = {}, query }: Parts): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(given(query));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** What is not undefined, as text. */
function given(values: object = {}): [name: string, value: string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be looked up at the moment',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was cut',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; is it http://?',
};

function unreachable(url: string, error: Error, signal: AbortSignal): CliError {
  if (signal.aborted) return interrupted();
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  const reason = error.name === 'TimeoutError' ? 'no answer in time' : (REASONS[code ?? ''] ?? message);
  return new CliError(`${url} cannot be reached: ${reason.replace(/[^?]$/, '$&.')}`, {
    code: 'UNREACHABLE',
    exitCode: EXIT.unreachable,
    hint: 'Is the server running, and is this its address? --url or FLAGSVC_URL names another.',
  });
}

function foreign(url: string, reason: string): CliError {
  return new CliError(`${url} does not answer as a flagsvc server does: ${reason}.`, {
    code: 'UNREACHABLE',
    exitCode: EXIT.unreachable,
    hint: 'Is this the address of the server itself? --url or FLAGSVC_URL names another.',
  });
}

const EXIT_BY_STATUS: Readonly<Record<number, number>> = {
  401: EXIT.denied,
  403: EXIT.denied,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  429: EXIT.unreachable,
  503: EXIT.unreachable,
};

interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: object };
}

async function toError(response: Response, url: string): Promise<CliError> {
  const { status, headers } = response;
  const { error } = ((await response.json().catch(() => undefined)) ?? {}) as Refusal;
  if (typeof error?.code !== 'string') {
    return foreign(url, `status ${status}, ${headers.get('content-type') ?? 'no content type'}`);
  }
  const details = { ...error.details } as Record<string, unknown>;
  return new CliError(`${readable(error.message ?? '')}${whatFields(details)}`, {
    code: error.code,
    details,
    exitCode: EXIT_BY_STATUS[status] ?? EXIT.failed,
    hint: hintOf(error.code, details, headers),
  });
}

/** What the details tell is told below. */
function readable(message: string): string {
  return message.replace(/; see details\.\w+\.$/, ':');
}

function whatFields({ fields, field, errors }: Readonly<Record<string, unknown>>): string {
  if (typeof field === 'string' && field !== '') return ` (${field})`;
  const faults = (Array.isArray(fields) ? fields : Array.isArray(errors) ? errors : []) as {
    readonly field?: string;
    readonly path?: string;
    readonly message: string;
  }[];
  return faults
    .map((one) => `\n  ${cellText(one.field || one.path || 'request')}: ${cellText(one.message)}`)
    .join('');
}

/** What only the answer itself tells; the rest is in `hintFor`. */
function hintOf(
  code: string,
  details: Readonly<Record<string, unknown>>,
  headers: Headers,
): string | undefined {
  switch (code) {
    case 'RATE_LIMIT_EXCEEDED':
      return `Try again in ${headers.get('retry-after') ?? '60'} seconds.`;
    case 'INTERNAL_ERROR':
      return `The server's log tells more under request ${String(details['request_id'])}.`;
    default:
      return undefined;
  }
}
