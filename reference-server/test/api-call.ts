import type { LightMyRequestResponse } from 'fastify';
import type {
  Data,
  DryRun,
  Endpoint,
  Request,
  Answer as SuccessBody,
  Warning,
} from '../src/cli/client/document.ts';
import { ERROR_CODES, type ErrorCode } from '../src/http/errors.ts';

/**
 * A request to a path below `/api/v1`, or to a path at the root such as `/health`. A string as `body` is sent
 * unchanged, any other value as JSON.
 */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer of the server, with its JSON parsed. The body is undefined if the answer has none. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: LightMyRequestResponse['headers'];
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of a raw answer is what its test checks
export type RawAnswer = Answer<any>;

/** Sends a call to a server, in this process or another. */
export type Transport = (call: Call) => Promise<RawAnswer>;

/** Request headers. Every operation accepts all of these, but some have an effect only on writes. */
export interface CallOptions {
  readonly ifMatch?: string | number | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** `X-Change-Comment`, which bodies can also carry as `comment`. */
  readonly comment?: string | undefined;
  /** The id of an open break-glass session. */
  readonly breakGlass?: string | undefined;
  /** Opens a break-glass session for this call. */
  readonly justification?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type Query<E extends Endpoint> =
  Request<E> extends { readonly query?: infer Given } ? NeverAsObject<NonNullable<Given>> : object;
type NeverAsObject<T> = [T] extends [never] ? object : T;
type RequiredKeys<T> = { [Key in keyof T]-?: Partial<T> extends Pick<T, Key> ? never : Key }[keyof T];

/** Query parameters by name, and request headers. `environment_id` defaults to the client's environment. */
type Options<E extends Endpoint> = CallOptions &
  Omit<Query<E>, 'environment_id'> & { readonly environment_id?: string | undefined };
type OptionArguments<E extends Endpoint> =
  Exclude<RequiredKeys<Query<E>>, 'environment_id'> extends never
    ? [options?: Options<E>]
    : [options: Options<E>];

type PathArguments<E extends string> = E extends `${string}{${string}}${infer Rest}`
  ? [id: string | number, ...PathArguments<Rest>]
  : [];
/** The type of the JSON body that an operation takes; `never` if it takes none. */
export type Body<E extends Endpoint> =
  Request<E> extends { readonly body?: infer Given } ? NonNullable<Given> : never;
type BodyArguments<E extends Endpoint> = [Body<E>] extends [never]
  ? []
  : Request<E> extends { readonly body: unknown }
    ? [body: Body<E>]
    : [body?: Body<E> | undefined];

/** The `data` of a successful answer; the whole body if it has no `data`; null if there is no body. */
export type Result<E extends Endpoint> = [Data<E>] extends [never] ? SuccessBody<E> : Data<E>;

/** A call that is under way: resolves to its result, rejects with an `ApiRefusal`. */
export interface Reply<R, B = unknown> extends Promise<R> {
  /** The status, headers and body of the answer, even of a refusal. */
  readonly answer: Promise<Answer<B>>;
}

type Enveloped<E extends Endpoint> =
  Exclude<SuccessBody<E>, { readonly data: DryRun }> extends infer B
    ? B extends { readonly warnings?: unknown }
      ? Omit<B, 'warnings'> & { readonly warnings: readonly Warning[] }
      : B
    : never;

/** The endpoints that take a body. */
export type WithBody = {
  [E in Endpoint]: [Body<E>] extends [never] ? never : E;
}[Endpoint];
/** The endpoints that require an `environment_id` in the query. */
export type InEnvironment = {
  [E in Endpoint]: 'environment_id' extends RequiredKeys<Query<E>> ? E : never;
}[Endpoint];

/** Path parameters in their order, then the body if there is one, then options. */
export type Operation<E extends Endpoint> = (
  ...args: [...PathArguments<E>, ...BodyArguments<E>, ...OptionArguments<E>]
) => Reply<Result<E>, Enveloped<E>>;

/** An error answer. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  // biome-ignore lint/suspicious/noExplicitAny: details differ by code, and tests check their shape
  readonly details: any;
  readonly headers: RawAnswer['headers'];

  constructor({ status, body, headers }: RawAnswer) {
    super(body.error.message);
    this.status = status;
    this.code = body.error.code;
    this.details = body.error.details;
    this.headers = headers;
    if (ERROR_CODES[this.code]?.[0] !== status) throw new Error(`${this.code} came with status ${status}`);
  }
}

/** The refusal of a call. Throws when the call succeeds. */
export async function refused(call: PromiseLike<unknown>): Promise<ApiRefusal> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiRefusal) return error;
    throw error;
  }
  throw new Error('The call succeeded; a refusal was expected.');
}

/** The code of a refusal, or `OK`. */
export async function codeOf(call: PromiseLike<unknown>): Promise<ErrorCode | 'OK'> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    if (error instanceof ApiRefusal) return error.code;
    throw error;
  }
}

/** What all calls of a client have in common. */
export interface Defaults {
  readonly transport: Transport;
  readonly credentials: Readonly<Record<string, string>>;
  readonly environmentId: string | undefined;
  readonly dryRun: boolean;
}

/** Makes the operation of an endpoint. `withBody` says whether an argument for the body precedes the options. */
export function operation<E extends Endpoint>(
  defaults: Defaults,
  endpoint: E,
  { withBody, inEnvironment }: { readonly withBody: boolean; readonly inEnvironment: boolean },
): Operation<E> & { readonly endpoint: E } {
  const { transport, credentials, environmentId, dryRun } = defaults;
  const [method, template] = endpoint.split(' ') as [NonNullable<Call['method']>, string];
  const call = (...args: unknown[]) => {
    const rest = [...args];
    const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
    const body = withBody ? rest.shift() : undefined;
    const { query, headers } = split((rest[0] ?? {}) as CallOptions);
    const search = new URLSearchParams({
      ...(inEnvironment && environmentId !== undefined && { environment_id: environmentId }),
      ...query,
      ...(dryRun && { dry_run: 'true' }),
    });
    const url = search.size === 0 ? path : `${path}?${search}`;
    return reply(transport({ method, url, body, headers: { ...credentials, ...headers } }));
  };
  return Object.assign(call, { endpoint }) as Operation<E> & { readonly endpoint: E };
}

/** Splits options into headers and query parameters, and leaves out undefined ones. */
function split(options: CallOptions): { query: Record<string, string>; headers: Record<string, string> } {
  const { ifMatch, ifNoneMatch, idempotencyKey, comment, breakGlass, justification, headers, ...query } =
    options;
  return {
    query: defined(query),
    headers: {
      ...defined({
        'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch,
        'if-none-match': ifNoneMatch,
        'idempotency-key': idempotencyKey,
        'x-change-comment': comment,
        'x-break-glass': breakGlass,
        'x-break-glass-justification': justification,
      }),
      ...headers,
    },
  };
}

function defined(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

function reply(answer: Promise<RawAnswer>): Reply<unknown> {
  const result = answer.then((answered) => {
    if (answered.status >= 400) throw new ApiRefusal(answered);
    const { body } = answered;
    return body === undefined ? null : body.data === undefined ? body : body.data;
  });
  // A test that reads only `answer` does not await `result`, so its rejection is handled here.
  const get = (): Promise<RawAnswer> => {
    result.catch(() => {});
    return answer;
  };
  return Object.defineProperty(result, 'answer', { get }) as Reply<unknown>;
}
