import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DryRun } from './dry-run.ts';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import { rememberMethods } from './known-paths.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What a path takes, by the routes of the whole app; nothing where there is no such path. */
    readonly methodsOf: (path: string) => readonly string[];
  }
}

/** What the specification calls `error.details`: always an object. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** One invalid field of a request, in `details.fields` of a VALIDATION_ERROR. */
export interface FieldError {
  /** Dotted path inside its location, `variations.0.key`; empty for the whole. */
  readonly field: string;
  readonly location: 'body' | 'query' | 'path' | 'header';
  /** `required`, `type`, `minLength`, ...: the keyword that failed. */
  readonly code: string;
  readonly message: string;
}

/** Default `Retry-After` of 503: a database that is away or locked is usually back within seconds. */
export const RETRY_LATER = { 'retry-after': '5' } as const;

/** What a 401 asks for, where it is not just a token (RFC 6750). */
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  INVALID_TOKEN: 'Bearer error="invalid_token"',
  TOKEN_EXPIRED: 'Bearer error="invalid_token"',
  INVALID_API_KEY: 'ApiKey',
};

/** What HTTP wants with an answer of this status. */
function headersOf(code: ErrorCode, status: number): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': CHALLENGES[code] ?? 'Bearer' };
  return status === 503 ? RETRY_LATER : {};
}

/** An answer that is an error. Throw it anywhere below a route; the error handler writes the envelope. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;
  /** Sent with the answer, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    options: { message?: string; details?: ErrorDetails; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(options.message ?? ERROR_CODES[code][1]);
    this.name = 'ApiError';
    this.code = code;
    this.status = ERROR_CODES[code][0];
    this.details = options.details ?? {};
    this.headers = { ...headersOf(code, this.status), ...options.headers };
  }
}

/** A VALIDATION_ERROR over the given fields. */
export function invalid(...fields: readonly FieldError[]): ApiError {
  return new ApiError('VALIDATION_ERROR', { details: { fields } });
}

/** A PAYLOAD_TOO_LARGE that says how much a body may hold. */
export function payloadTooLarge(maximum: number): ApiError {
  const size = maximum < 1024 ** 2 ? `${maximum / 1024} KiB` : `${maximum / 1024 ** 2} MiB`;
  const message = `The body is too large: it may hold ${size}.`;
  return new ApiError('PAYLOAD_TOO_LARGE', { message, details: { limit: 'body_bytes', maximum } });
}

/** What the maximum of a limit counts, where its name does not say so. */
const UNITS: Readonly<Record<string, string>> = {
  value_length: 'characters',
  variation_value: 'bytes of JSON',
  variation_values: 'bytes of JSON',
};

/** A LIMIT_EXCEEDED that says how many there may be of what, and of a field where. */
export function limitExceeded(details: {
  readonly limit: string;
  readonly maximum: number;
  readonly field?: string;
}): ApiError {
  const { limit, maximum, field } = details;
  const place = field === undefined ? '' : ` in ${field}`;
  const what = UNITS[limit] ?? limit.replaceAll('_', ' ');
  const message = `A limit is exceeded: at most ${maximum} ${what}${place}.`;
  return new ApiError('LIMIT_EXCEEDED', { message, details });
}

/** The specification's error envelope. */
function errorBody(error: ApiError): {
  error: { code: ErrorCode; message: string; details: ErrorDetails };
} {
  return { error: { code: error.code, message: error.message, details: error.details } };
}

/** Makes every error of this app, the framework's own included, an answer in the specification's envelope. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply));
  registerUnknownPaths(app);
}

/**
 * Answers what no route takes, before its body is read: NOT_FOUND, or METHOD_NOT_ALLOWED where the path takes other
 * methods, which `Allow` names; OPTIONS are told them with 204. The error handler of `app` writes the error.
 */
export function registerUnknownPaths(app: FastifyInstance): void {
  if (!app.hasDecorator('methodsOf')) {
    app.decorate('methodsOf', rememberMethods(app));
    app.addHook('onRequest', (request, reply, done) => {
      if (request.is404) answerUnknown(request, reply);
      else done();
    });
  }
  app.setNotFoundHandler(answerUnknown);
}

/** Names the methods that a path takes in `Allow`. */
export function nameMethods({ url, server }: FastifyRequest, reply: FastifyReply): readonly string[] {
  const methods = server.methodsOf(url.split('?', 1)[0]!);
  if (methods.length > 0) reply.header('allow', methods.join(', '));
  return methods;
}

function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { method, server } = request;
  const methods = nameMethods(request, reply);
  if (methods.length === 0) {
    const hasDocs = server.methodsOf('/docs').length > 0;
    const more = hasDocs ? { message: 'There is nothing here; /docs shows what there is.' } : {};
    return reply.send(new ApiError('NOT_FOUND', more));
  }
  if (method === 'OPTIONS') return reply.code(204).send();
  const message = `This path does not take ${method}; it takes ${methods.join(', ')}.`;
  return reply.send(new ApiError('METHOD_NOT_ALLOWED', { message, details: { allow: methods } }));
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof DryRun) return reply.code(200).send({ data: { plan: error.plan } });
  const answer = toApiError(error, request);
  keepReading(answer, reply);
  if (answer.status >= 500) request.log.error({ err: error }, 'request failed');
  // Caches may keep what is not found, and some are told to keep every refusal, for whatever key.
  return reply
    .code(answer.status)
    .headers({ 'cache-control': 'no-store', ...answer.headers })
    .send(errorBody(answer));
}

/**
 * The framework would close the connection under a client that still sends what is too much, and whoever writes first and
 * reads then would not see why. Left open, the rest is read and dropped, for as long as a request may take to arrive.
 */
export function keepReading({ code }: ApiError, reply: FastifyReply): void {
  if (code === 'PAYLOAD_TOO_LARGE') reply.removeHeader('connection');
}

/** Answers bytes that are no request, which reach no handler; a socket that is gone gets nothing. */
export function refuseSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new ApiError('REQUEST_TIMEOUT')
      : invalid({
          field: '',
          location: 'header',
          code: 'request',
          message: 'The request is not valid HTTP.',
        });
  const body = JSON.stringify(errorBody(answer));
  const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** It is not over in seconds: somebody has to restore a backup first. */
function databaseCorrupt(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message:
      'What this needs of the database is damaged: an operator has to restore a backup. Flags are still evaluated.',
    details: { reason: 'database_corrupt' },
    headers: { 'retry-after': '60' },
  });
}

/** What is thrown by others, by the `code` that they give it. */
const CODES_BY_FAULT: Readonly<Record<string, ErrorCode>> = {
  // Of Fastify.
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  // Of the databases; by numbers, PostgreSQL's: texts too long for an index together, a writer that lost twice.
  DATABASE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  '54000': 'LIMIT_EXCEEDED',
  '40001': 'SERVICE_UNAVAILABLE',
  '40P01': 'SERVICE_UNAVAILABLE',
};

/** Names the locations as the specification does. */
const LOCATIONS = { body: 'body', querystring: 'query', params: 'path', headers: 'header' } as const;

/** What an error is to the caller. */
export function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  const { code, statusCode, validation, validationContext } = error as Partial<FastifyError>;
  if (validation !== undefined) return toValidationError(validation, validationContext);
  if (code === 'TEXT_REFUSED') {
    const { message, text } = error as { message: string; text: string };
    const field = placeOf(text, request.body) ?? '';
    return invalid({ field, location: 'body', code: text.includes('\0') ? 'nul' : 'surrogate', message });
  }
  if (code === 'DATABASE_CORRUPT') return databaseCorrupt();
  const known = CODES_BY_FAULT[code ?? ''];
  if (known !== undefined) return new ApiError(known);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return invalid({ field: '', location: 'header', code: 'request', message: 'The request is not valid.' });
  }
  // The message may hold anything: it goes to the log, never to the caller.
  return new ApiError('INTERNAL_ERROR', { details: { request_id: request.id } });
}

/** Where in a body a text stands. */
function placeOf(text: string, value: unknown): string | undefined {
  if (value === text) return '';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const place = placeOf(text, member);
    if (place !== undefined) return place === '' ? name : `${name}.${place}`;
  }
  return undefined;
}

type Issue = NonNullable<FastifyError['validation']>[number];

/** Sizes that are limits of the service, not shapes of the request (decision 0035). */
const LIMIT_KEYWORDS: ReadonlySet<string> = new Set(['maxLength', 'maxItems', 'maxProperties']);

function toValidationError(issues: readonly Issue[], context: string | undefined): ApiError {
  const location = LOCATIONS[(context ?? 'body') as keyof typeof LOCATIONS] ?? 'body';
  const first = issues[0];
  if (location === 'body' && first && issues.every((issue) => LIMIT_KEYWORDS.has(issue.keyword))) {
    const [{ field, code, message }] = toFieldErrors(first, location) as [FieldError];
    return new ApiError('LIMIT_EXCEEDED', {
      message: `A limit is exceeded: ${field} ${message}.`,
      details: { field, limit: code, maximum: first.params['limit'] },
    });
  }
  return invalid(...issues.flatMap((issue) => toFieldErrors(issue, location)));
}

function toFieldErrors(issue: Issue, location: FieldError['location']): FieldError[] {
  const path = issue.instancePath.split('/').slice(1).map(unescapePointer);
  const message = issue.message ?? 'is not valid';
  if (issue.keyword !== 'required') {
    return [{ field: path.join('.'), location, code: issue.keyword, message }];
  }
  const { requiredProperties, missingProperty } = issue.params as Record<string, unknown>;
  const missing = Array.isArray(requiredProperties) ? requiredProperties : [missingProperty];
  return missing.map((name) => ({
    field: [...path, String(name)].join('.'),
    location,
    code: 'required',
    message: 'is required',
  }));
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
