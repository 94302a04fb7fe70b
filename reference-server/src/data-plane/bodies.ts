import { decode } from '@msgpack/msgpack';
import type { FastifyInstance } from 'fastify';
import { BODY_LIMIT_BYTES, isDeep, parseJson, takeBodies, textOf, tooDeep } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True when the route takes `application/msgpack` besides JSON. */
    takesMsgpack?: boolean;
    /** True when the route looks itself at how deep things are nested, of each thing alone (decision 0046). */
    takesDepth?: boolean;
  }
}

/**
 * Reads bodies of the data plane: JSON, MessagePack where the route takes it, both also as gzip. An attribute may have
 * any name, `__proto__` included: names stay own properties (decision 0007).
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Whatever the limit of an app is that this is mounted in.
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= BODY_LIMIT_BYTES;
  });
  takeBodies(app, 'application/json', (bytes, request) => {
    const text = textOf(bytes, request);
    if (request.routeOptions.config.takesDepth !== true && isDeep(text)) throw tooDeep();
    return parseJson(text);
  });
  takeBodies(app, 'application/msgpack', parseMsgpack);
  app.addHook('preValidation', (request, _reply, done) => {
    const isMsgpack = request.headers['content-type']?.startsWith('application/msgpack') === true;
    done(
      isMsgpack && request.routeOptions.config.takesMsgpack !== true
        ? unsupported('application/json')
        : undefined,
    );
  });
}

function parseMsgpack(bytes: Buffer): unknown {
  try {
    return decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', { message: 'The body is not valid MessagePack.' });
  }
}

function unsupported(type: string): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: `The body must be sent as ${type}.` });
}
