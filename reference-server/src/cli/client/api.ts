import ky, { HTTPError, type KyInstance } from 'ky';
import { CliError } from '../output/errors.ts';
import { foreign, innermost, toError, unreachable } from './api-errors.ts';
import type { Answer, Change, Data, DryRun, Endpoint, Item, List, Request, Warning } from './document.ts';

/** A client of one server's API, typed by its OpenAPI document. Every call throws a CliError unless it succeeds. */
export interface Api {
  /** The server's address without a path, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Returns `data`. */
  call<E extends Endpoint>(endpoint: E, request: Request<E>): Promise<Data<E>>;
  /** Returns `data` of a write, or the plan of a dry run. */
  change<E extends Change>(endpoint: E, request: Request<E> & DryRunOption): Promise<Data<E> | DryRun>;
  /** Returns one page of a list, with its `meta`. */
  list<E extends List>(endpoint: E, request: Request<E>): Promise<Answer<E>>;
  /** Reads all pages of a list, up to `most` items. */
  all<E extends List>(endpoint: E, request: Request<E>, most?: number): Promise<readonly Item<E>[]>;
  /** Returns the body as text, in any format, and the codes of the warnings. */
  text<E extends Endpoint>(endpoint: E, request: Request<E>): Promise<TextAnswer>;
}

export interface TextAnswer {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** The option of a dry run. */
interface DryRunOption {
  readonly query?: { readonly dry_run?: boolean | undefined };
}

/** The parts of any request; undefined values are not sent. */
interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: object;
}

export interface ApiOptions {
  readonly url: string;
  readonly version: string;
  /** The authentication headers; called before each request. */
  readonly credentials: () => Readonly<Record<string, string>>;
  /** Called when the access token has expired. Returns true after renewing it; the request is then sent again, once. */
  readonly renew?: () => Promise<boolean>;
  /** Called when a change needs the password again. Returns true after confirming it; the request is then sent again. */
  readonly confirm?: () => Promise<boolean>;
  /** Receives the warnings of an answer. */
  readonly onWarnings?: (warnings: readonly Warning[]) => void;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const PAGE_SIZE = 200;
/** The client waits for a busy server only if its `Retry-After` is at most this many seconds. */
const RETRY_AFTER_MAX = 5;

export function createApi(options: ApiOptions): Api {
  const { url, onWarnings, signal } = options;
  const client = createClient(options);
  const send = async (endpoint: Endpoint, { body, headers, ...parts }: Parts): Promise<Response> => {
    const [method, template] = endpoint.split(' ') as [string, string];
    try {
      return await client(`${url}/api/v1${fill(template, parts)}`, {
        method,
        signal: limited(signal),
        headers: { ...options.credentials(), ...Object.fromEntries(defined(headers)) },
        ...(body !== undefined && { json: body }),
      });
    } catch (error) {
      if (error instanceof HTTPError) throw toError(error.response, error.data, url);
      const cause = innermost(error as Error);
      // Renewing the login or confirming the password failed.
      throw cause instanceof CliError ? cause : unreachable(url, cause, signal);
    }
  };
  const json = async (endpoint: Endpoint, parts: Parts): Promise<unknown> => {
    const text = await (await send(endpoint, parts)).text();
    try {
      return text === '' ? { data: null } : JSON.parse(text);
    } catch {
      throw foreign(url, 'the response is not JSON');
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
        const answer = await json(endpoint, { ...parts, query: { ...parts.query, page, per_page } });
        const { data, meta } = answer as { data: readonly Item<E>[]; meta: { total: number } };
        found.push(...data);
        if (data.length === 0 || found.length >= meta.total) break;
      }
      return found.slice(0, most);
    },
    async text(endpoint, request) {
      const response = await send(endpoint, { ...request, headers: { accept: '*/*' } });
      const warnings = response.headers.get('x-flagsvc-warnings')?.split(', ') ?? [];
      return { text: await response.text(), warnings: warnings.map((one) => decodeURIComponent(one)) };
    },
  };
}

/** Retries reads while the server is busy, and any request once after renewing an expired access token. */
function createClient({ url, version, credentials, renew, confirm }: ApiOptions): KyInstance {
  return ky.create({
    // A redirect would send the credentials to another address.
    redirect: 'error',
    // `limited` sets the time limit instead, because an abandoned connection can outlive an abort signal.
    timeout: false,
    headers: {
      accept: 'application/json',
      'user-agent': `flagsvc-cli/${version}`,
      'x-flagsvc-client': 'cli',
      // Without `handling=strict`, the server ignores unknown fields.
      prefer: 'handling=strict',
    },
    retry: {
      limit: 2,
      methods: ['get'],
      statusCodes: [429, 503],
      // Undefined leaves the decision to the status codes.
      shouldRetry: ({ error }) => (isSoon(error) ? undefined : false),
    },
    hooks: {
      afterResponse: [
        async ({ request, response, retryCount }) => {
          const remedy = response.status === 401 ? renew : response.status === 403 ? confirm : undefined;
          if (remedy === undefined || retryCount > 0) return;
          const { code } = toError(response, await response.json().catch(() => undefined), url);
          if (code !== 'TOKEN_EXPIRED' && code !== 'REAUTHENTICATION_REQUIRED') return;
          if (!(await remedy())) return;
          const headers = new Headers(request.headers);
          for (const [name, value] of Object.entries(credentials())) headers.set(name, value);
          return ky.retry({ request: new Request(request, { headers }), delay: 0 });
        },
      ],
    },
  });
}

function isSoon(error: Error): boolean {
  if (!(error instanceof HTTPError)) return false;
  const wait = error.response.headers.get('retry-after');
  return wait !== null && Number(wait) <= RETRY_AFTER_MAX;
}

/** Aborts with `signal` or after 60 s. In Node 22, the timeout signal inside an `AbortSignal.any` may never fire. */
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

/** Fills a path template with its parameters and appends the query. */
function fill(template: string, { params = {}, query }: Parts): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(defined(query));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** The defined values, as text. */
function defined(values: object = {}): [name: string, value: string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}
