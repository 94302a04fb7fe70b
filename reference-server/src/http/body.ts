import { isUtf8 } from 'node:buffer';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, payloadTooLarge } from './errors.ts';

/** The most a body may hold, as sent and inflated (decision 0035). */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** How deep objects and arrays may be nested. A deeper one passes a schema and overflows the stack later. */
export const DEPTH_MAX = 32;

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Reads JSON bodies. An empty body is an absent one, so that calls without a body may carry the content type; an absent
 * one of a POST has no field, so that nobody has to send `{}`. Of PUT and PATCH it is a fault: they would change nothing.
 * Names such as `__proto__` stay ordinary own properties, as decision 0007 has them.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  takeBodies(app, {
    type: 'application/json',
    parse(bytes, request) {
      const text = textOf(bytes, request);
      if (text.trim() === '') return undefined;
      if (shapeOf(text).depth > DEPTH_MAX) throw tooDeep();
      return parseJson(text);
    },
  });
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

/** Reads bodies of a media type, also as gzip. */
export function takeBodies(app: FastifyInstance, { type, isTaken, parse }: BodyFormat): void {
  app.addContentTypeParser(
    type,
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done: Done) => {
      if (isTaken?.(request) === false) return done(new ApiError('UNSUPPORTED_MEDIA_TYPE'));
      const coding = request.headers['content-encoding'];
      if (coding === undefined || coding === 'identity') return finish(bytes);
      inflate(coding, bytes, request.routeOptions.bodyLimit, (error, inflated) => {
        if (error !== null) done(error);
        else finish(inflated!);
      });

      function finish(plain: Buffer): void {
        let body: unknown;
        let fault: Error | null = null;
        try {
          body = parse(plain, request);
        } catch (error) {
          fault = error as Error;
        }
        done(fault, body);
      }
    },
  );
}

function inflate(
  coding: string,
  bytes: Buffer,
  maxOutputLength: number,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  if (coding.toLowerCase() !== 'gzip') {
    done(new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'The only Content-Encoding of a body is gzip.' }));
    return;
  }
  // The bound is on what comes out: a kilobyte can inflate to a gigabyte.
  gunzip(bytes, { maxOutputLength }, (error, inflated) => {
    if (error === null) return done(null, inflated);
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    done(
      isTooLarge
        ? payloadTooLarge(maxOutputLength)
        : new ApiError('VALIDATION_ERROR', { message: 'The body is not valid gzip.' }),
    );
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

/** How deep a JSON text is nested, and how many values it holds: items of arrays, members of objects, and the whole. */
export interface JsonShape {
  readonly depth: number;
  readonly values: number;
}

/** Looks at brackets and commas outside strings: cheap, and right for every text that is JSON. */
export function shapeOf(text: string): JsonShape {
  let open = 0;
  let depth = 0;
  let values = 1;
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
    else if (code === 0x22 /* " */) index = endOfString(text, index);
    else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      isEmpty = true;
      open++;
      if (open > depth) depth = open;
    }
  }
  return { depth, values };
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
