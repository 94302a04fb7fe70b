import { gunzip } from 'node:zlib';
import { decode } from '@msgpack/msgpack';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BODY_LIMIT_BYTES } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True when the route takes `application/msgpack` besides JSON. */
    takesMsgpack?: boolean;
  }
}

/**
 * Reads bodies of the data plane: JSON, MessagePack where the route takes it, both also as gzip. JSON is parsed
 * plainly, because an attribute may have any name, `__proto__` included: names stay own properties (decision 0007).
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = (type: string, parser: (bytes: Buffer) => unknown): void => {
    app.addContentTypeParser(
      type,
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
      (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
        const coding = request.headers['content-encoding'];
        if (coding === undefined || coding === 'identity') return finish(parser, bytes, done);
        inflate(coding, bytes, (error, inflated) => {
          if (error !== null) done(error);
          else finish(parser, inflated!, done);
        });
      },
    );
  };
  parse('application/json', parseJson);
  parse('application/msgpack', parseMsgpack);
  app.addHook('preValidation', (request, _reply, done) => {
    const isMsgpack = request.headers['content-type']?.startsWith('application/msgpack') === true;
    done(
      isMsgpack && request.routeOptions.config.takesMsgpack !== true
        ? unsupported('application/json')
        : undefined,
    );
  });
}

function finish(
  parser: (bytes: Buffer) => unknown,
  bytes: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  let body: unknown;
  let fault: Error | null = null;
  try {
    body = parser(bytes);
  } catch (error) {
    fault = error as Error;
  }
  done(fault, body);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new ApiError('MALFORMED_JSON');
  }
}

function parseMsgpack(bytes: Buffer): unknown {
  try {
    return decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', { message: 'The body is not valid MessagePack.' });
  }
}

function inflate(coding: string, bytes: Buffer, done: (error: Error | null, bytes?: Buffer) => void): void {
  if (coding.toLowerCase() !== 'gzip') {
    done(new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'The only Content-Encoding of a body is gzip.' }));
    return;
  }
  // The bound is on what comes out: a kilobyte can inflate to a gigabyte.
  gunzip(bytes, { maxOutputLength: BODY_LIMIT_BYTES }, (error, inflated) => {
    if (error === null) return done(null, inflated);
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    done(
      isTooLarge
        ? new ApiError('PAYLOAD_TOO_LARGE')
        : new ApiError('VALIDATION_ERROR', { message: 'The body is not valid gzip.' }),
    );
  });
}

function unsupported(type: string): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: `The body must be sent as ${type}.` });
}
