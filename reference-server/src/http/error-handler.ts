import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EarlyAnswer, type ErrorCode, errorBody, type FieldError, invalid } from './errors.ts';
import { rememberMethods } from './known-paths.ts';
import type { Failure } from './log/request-line.ts';
import { logFailure } from './log/request-log.ts';

// Importing node:http would also load undici, which takes memory of every relay.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods that a path supports, from all routes of the app; empty for an unknown path. */
    readonly methodsOf: (path: string) => readonly string[];
  }
}

/** Answers every error of this app, the framework's own included, with the specification's envelope. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply));
  registerUnknownPaths(app);
}

/**
 * Answers requests that match no route, before their body is read: NOT_FOUND for an unknown path, METHOD_NOT_ALLOWED
 * with `Allow` for an unknown method, 204 with `Allow` for OPTIONS. The error handler of `app` writes the error.
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

/** Sets `Allow` to the methods that the path supports, and returns them. */
export function nameMethods({ url, server }: FastifyRequest, reply: FastifyReply): readonly string[] {
  const methods = server.methodsOf(url.split('?', 1)[0]!);
  if (methods.length > 0) reply.header('allow', methods.join(', '));
  return methods;
}

/** The message for an unknown path of a server that has documentation. */
export const NOTHING_HERE = 'There is nothing here; /docs lists the API.';

function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { method, server } = request;
  const methods = nameMethods(request, reply);
  if (methods.length === 0) {
    const hasDocs = server.methodsOf('/docs').length > 0;
    const more = hasDocs ? { message: NOTHING_HERE } : {};
    return reply.send(new ApiError('NOT_FOUND', more));
  }
  if (method === 'OPTIONS') return reply.code(204).send();
  const message = `This path does not support ${method}; it supports ${methods.join(', ')}.`;
  return reply.send(new ApiError('METHOD_NOT_ALLOWED', { message, details: { allow: methods } }));
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof EarlyAnswer) return reply.code(200).send(error.body);
  const answer = toApiError(error, request);
  keepReading(answer, reply);
  logFailure(request, reply.code(answer.status), failureOf(answer, error));
  // Caches keep a 404 by default, and some are configured to keep every error, even one that depends on the
  // credentials.
  return reply.headers({ 'cache-control': 'no-store', ...answer.headers }).send(errorBody(answer));
}

/** What the log tells about a failed request: of faults also the error, whose message the caller does not get. */
export function failureOf({ code, status }: ApiError, error: unknown): Failure {
  return status >= 500 ? { code, err: error } : { code };
}

/**
 * Keeps the connection open after a request whose body is too large. Fastify would close it while the client still
 * sends, and a client that sends everything before it reads would never see the 413. The rest of the body is read and
 * dropped.
 */
export function keepReading({ code }: ApiError, reply: FastifyReply): void {
  if (code === 'PAYLOAD_TOO_LARGE') reply.removeHeader('connection');
}

/** Answers bytes that are not HTTP, which reach no handler. A closed socket gets no answer. */
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

/** 503 with a longer `Retry-After`, because the damage lasts until an operator restores a backup. */
function databaseCorrupt(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message:
      'A part of the database that this request needs is damaged: an operator has to restore a backup. Flags are still evaluated.',
    details: { reason: 'database_corrupt' },
    headers: { 'retry-after': '60' },
  });
}

/** Errors of libraries, by their `code`. */
const CODES_BY_FAULT: Readonly<Record<string, ErrorCode>> = {
  // Codes of Fastify.
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  // Codes of the databases. The numeric ones are PostgreSQL's: index row too long, serialization failure, deadlock.
  DATABASE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  '54000': 'LIMIT_EXCEEDED',
  '40001': 'SERVICE_UNAVAILABLE',
  '40P01': 'SERVICE_UNAVAILABLE',
};

/** The specification's name of each location, by Fastify's name. */
const LOCATIONS = { body: 'body', querystring: 'query', params: 'path', headers: 'header' } as const;

/** The error to answer with; anything unexpected becomes INTERNAL_ERROR. */
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
  // The message may contain secrets: it is logged and never sent to the caller.
  return new ApiError('INTERNAL_ERROR', { details: { request_id: request.id } });
}

/** Dotted path of a text within a body; undefined when it is not there. */
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

/**
 * Schema keywords for sizes. A value that is too large exceeds a limit of the service (422); that is not a fault in the
 * request's shape (400).
 */
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
