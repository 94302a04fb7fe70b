import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BodyBudget, createBodyBudget } from './body-budget.ts';
import { ApiError } from './errors.ts';
import { type BodyRules, readBody } from './read-body.ts';
import type { RouteAccess } from './route-access.ts';

/** Maximum size of a body, as sent and after inflating. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Maximum size of a body from an anonymous sender: one without credentials, or with only a page's API key, which every
 * visitor can read.
 */
export const ANYONES_BODY_LIMIT_BYTES = 64 * 1024;

/** A body must arrive in full within this time, so that a slow sender does not tie up memory for longer. */
export const BODY_ARRIVE_MS = 15_000;
const ANYONE: RouteAccess = 'public';
/** A body from an authenticated sender may take longer, because imports are uploaded over slow lines. */
const SLOW_BODY_ARRIVE_MS = 60_000;

/** Maximum nesting of objects and arrays. A deeper value would pass its schema and overflow the stack later. */
export const DEPTH_MAX = 32;

/** Limits for the bodies that an app reads. */
export interface BodyOptions {
  /** Shared by every reader in the process; default: a separate budget. */
  readonly budget?: BodyBudget | undefined;
  /** Time for a body of the data plane or a public route to arrive, in milliseconds; default 15,000. */
  readonly arriveMs?: number | undefined;
}

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Reads JSON bodies. An empty body counts as absent, so a call without a body may carry a content type. An absent body of
 * a POST counts as `{}`; PUT and PATCH without a body are refused, because they would change nothing. `__proto__` and the
 * like stay ordinary own properties.
 */
export function registerJsonBody(
  app: FastifyInstance,
  { budget = createBodyBudget(), arriveMs = BODY_ARRIVE_MS }: BodyOptions = {},
): void {
  app.removeAllContentTypeParsers();
  const rulesOf = ({ routeOptions: { bodyLimit, config } }: FastifyRequest): BodyRules =>
    config.access === ANYONE
      ? { sender: 'anyone', limit: Math.min(bodyLimit, ANYONES_BODY_LIMIT_BYTES), arriveMs }
      : { sender: 'known', limit: bodyLimit, arriveMs: SLOW_BODY_ARRIVE_MS };
  takeBodies(
    app,
    { budget, rulesOf },
    {
      type: 'application/json',
      parse(bytes, request) {
        const text = textOf(bytes, request);
        if (text.trim() === '') return undefined;
        if (shapeOf(text).depth > DEPTH_MAX) throw tooDeep();
        return parseJson(text);
      },
    },
  );
  app.addHook('preValidation', (request, _reply, done) => {
    const takesBody = request.routeOptions.schema?.body !== undefined;
    if (takesBody && request.method === 'POST' && request.body === undefined) request.body = {};
    done();
  });
}

/** A media type of bodies, with its parser. */
export interface BodyFormat {
  readonly type: string;
  /**
   * Whether the route of a request accepts the type; default: every route does. Routes that do not accept it refuse the
   * body unread.
   */
  readonly isTaken?: (request: FastifyRequest) => boolean;
  readonly parse: (bytes: Buffer, request: FastifyRequest) => unknown;
}

/** The rules and the memory budget for a route's bodies. */
export interface BodyReading {
  readonly budget: BodyBudget;
  readonly rulesOf: (request: FastifyRequest) => BodyRules;
}

/** Reads bodies of a media type, plain or gzipped. */
export function takeBodies(app: FastifyInstance, reading: BodyReading, format: BodyFormat): void {
  const { type, isTaken, parse } = format;
  const { budget, rulesOf } = reading;
  app.addContentTypeParser(type, (request: FastifyRequest, payload: Readable, done: Done) => {
    if (isTaken?.(request) === false) return done(new ApiError('UNSUPPORTED_MEDIA_TYPE'));
    readBody(request, { payload, budget, rules: rulesOf(request) }, (error, bytes) => {
      let body: unknown;
      let fault = error;
      try {
        if (bytes !== undefined) body = parse(bytes, request);
      } catch (thrown) {
        fault = thrown as Error;
      }
      done(fault, body);
    });
  });
}

/** Decodes UTF-8. Throws for any other encoding, which would be stored as the wrong characters. */
export function textOf(bytes: Buffer, { headers }: FastifyRequest): string {
  const type = headers['content-type']!;
  if (type !== 'application/json') requireUtf8(type);
  if (!isUtf8(bytes)) throw new ApiError('MALFORMED_JSON', { message: 'The body is not UTF-8.' });
  return bytes.toString();
}

function requireUtf8(type: string): void {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The only supported charset of a body is UTF-8.',
    });
  }
}

export function tooDeep(): ApiError {
  const message = `must not be nested deeper than ${DEPTH_MAX}`;
  return new ApiError('VALIDATION_ERROR', {
    message: `The body ${message}.`,
    details: { fields: [{ field: '', location: 'body', code: 'maxDepth', message }] },
  });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(text, (error as Error).message);
  }
}

/** Says where the text stops being JSON, if V8 gives a position, which it does not for a short text. */
function malformed(text: string, reason: string): ApiError {
  const position = Number(/\bposition (\d+)/.exec(reason)?.[1]);
  if (text.charCodeAt(0) === 0xfeff) return notJson('it begins with a byte order mark');
  if (reason.includes('end of JSON') || position >= text.length) return notJson('it ends too early');
  if (Number.isNaN(position)) return new ApiError('MALFORMED_JSON');
  const lines = text.slice(0, position).split('\n');
  const details = { line: lines.length, column: lines.at(-1)!.length + 1 };
  return notJson(`see line ${details.line}, column ${details.column}`, details);
}

function notJson(why: string, details = {}): ApiError {
  return new ApiError('MALFORMED_JSON', { message: `The body is not valid JSON: ${why}.`, details });
}

/** Nesting and size of a JSON text. */
export interface JsonShape {
  readonly depth: number;
  /** Array items, object members and the root value. */
  readonly values: number;
  /** Object members. */
  readonly members: number;
}

/** Counts brackets, commas and colons outside strings: cheap, and exact for every valid JSON text. */
export function shapeOf(text: string): JsonShape {
  let open = 0;
  let depth = 0;
  let values = 1;
  let members = 0;
  /** True right after an opening bracket. */
  let isEmpty = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20) continue;
    const isClosing = code === 0x7d /* } */ || code === 0x5d; /* ] */
    if (isEmpty && !isClosing) values++;
    isEmpty = false;
    if (isClosing) open--;
    else if (code === 0x2c /* , */) values++;
    else if (code === 0x3a /* : */) members++;
    else if (code === 0x22 /* " */) index = endOfString(text, index);
    else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      isEmpty = true;
      open++;
      if (open > depth) depth = open;
    }
  }
  return { depth, values, members };
}

/** Index of the quotation mark that closes the string opened at `index`. */
function endOfString(text: string, index: number): number {
  for (let end = index + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x22 /* " */) return end;
    if (code === 0x5c /* \ */) end++;
  }
  return text.length;
}
