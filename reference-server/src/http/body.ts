import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BodyBudget, createBodyBudget } from './body-budget.ts';
import { ApiError } from './errors.ts';
import { type BodyRules, readBody } from './read-body.ts';

/** The most a body may hold, as sent and inflated (decision 0035). */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** The most from anyone: without credentials, or with the key of a page, which all its visitors can read. */
export const ANYONES_BODY_LIMIT_BYTES = 64 * 1024;

/** A body must arrive in full within this time: a slow sender only ties up its own connection. */
export const BODY_ARRIVE_MS = 15_000;
/** The same for people and programs that have logged in, who send imports over slow lines. */
const SLOW_BODY_ARRIVE_MS = 60_000;

/** How deep objects and arrays may be nested. A deeper one passes a schema and overflows the stack later. */
export const DEPTH_MAX = 32;

/** How an app bounds the bodies that it reads. */
export interface BodyOptions {
  /** Shared by all that reads bodies in the process; default: one of its own. */
  readonly budget?: BodyBudget | undefined;
  /** Bodies of the data plane and of public routes must arrive within this time, in milliseconds; default 15 s. */
  readonly arriveMs?: number | undefined;
}

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Reads JSON bodies. An empty body is an absent one, so that calls without a body may carry the content type; an absent
 * one of a POST has no field, so that nobody has to send `{}`. Of PUT and PATCH it is a fault: they would change nothing.
 * Names such as `__proto__` stay ordinary own properties, as decision 0007 has them.
 */
export function registerJsonBody(
  app: FastifyInstance,
  { budget = createBodyBudget(), arriveMs = BODY_ARRIVE_MS }: BodyOptions = {},
): void {
  app.removeAllContentTypeParsers();
  const rulesOf = ({ routeOptions: { bodyLimit, config } }: FastifyRequest): BodyRules =>
    config.access === 'public'
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

/** A media type that bodies may have. */
export interface BodyFormat {
  readonly type: string;
  /** Whether a route takes the type; default: all do. The others refuse it unread. */
  readonly isTaken?: (request: FastifyRequest) => boolean;
  readonly parse: (bytes: Buffer, request: FastifyRequest) => unknown;
}

/** What a route's bodies are held to. */
export interface BodyReading {
  readonly budget: BodyBudget;
  readonly rulesOf: (request: FastifyRequest) => BodyRules;
}

/** Reads bodies of a media type, also as gzip. */
export function takeBodies(app: FastifyInstance, reading: BodyReading, format: BodyFormat): void {
  const { type, isTaken, parse } = format;
  const { budget, rulesOf } = reading;
  app.addContentTypeParser(type, (request: FastifyRequest, payload: Readable, done: Done) => {
    if (isTaken?.(request) === false) return done(new ApiError('UNSUPPORTED_MEDIA_TYPE'));
    readBody(request, payload, { budget, rules: rulesOf(request) }, (error, bytes) => {
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

/** JSON is UTF-8: bytes of another encoding would be stored as other characters than were meant. */
export function textOf(bytes: Buffer, { headers }: FastifyRequest): string {
  const type = headers['content-type']!;
  if (type !== 'application/json') requireUtf8(type);
  if (!isUtf8(bytes)) throw new ApiError('MALFORMED_JSON', { message: 'The body is not UTF-8.' });
  return bytes.toString();
}

function requireUtf8(type: string): void {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'The only charset of a body is UTF-8.' });
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

/** Says where the text ceases to be JSON, as far as the engine tells: of a short one it does not. */
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

/** How deep a JSON text is nested, and how much it holds. */
export interface JsonShape {
  readonly depth: number;
  /** Items of arrays, members of objects, and the whole. */
  readonly values: number;
  /** Members of objects. */
  readonly members: number;
}

/** Looks at brackets, commas and colons outside strings: cheap, and right for every text that is JSON. */
export function shapeOf(text: string): JsonShape {
  let open = 0;
  let depth = 0;
  let values = 1;
  let members = 0;
  /** Right after an opening bracket, where no value has begun. */
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

/** Where the quotation mark stands that closes the one at `index`. */
function endOfString(text: string, index: number): number {
  for (let end = index + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x22 /* " */) return end;
    if (code === 0x5c /* \ */) end++;
  }
  return text.length;
}
