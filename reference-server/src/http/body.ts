import type { FastifyInstance } from 'fastify';
import { ApiError, invalid } from './errors.ts';

/** The most a body may hold (decision 0035). */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** How deep objects and arrays may be nested. A deeper one passes a schema and overflows the stack later. */
export const DEPTH_MAX = 32;

/**
 * Reads JSON bodies. An empty body is an absent one, so that calls without a body may carry the content type; an absent
 * one of a POST has no field, so that nobody has to send `{}`. Of PUT and PATCH it is a fault: they would change nothing.
 * Names such as `__proto__` stay ordinary own properties, as decision 0007 has them.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseJson(text as string));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preValidation', (request, _reply, done) => {
    const takesBody = request.routeOptions.schema?.body !== undefined;
    if (takesBody && request.method === 'POST' && request.body === undefined) request.body = {};
    done();
  });
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  if (depth(text) > DEPTH_MAX) {
    throw invalid({
      field: '',
      location: 'body',
      code: 'maxDepth',
      message: `must not be nested deeper than ${DEPTH_MAX}`,
    });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('MALFORMED_JSON');
  }
}

/** Counts brackets outside strings: cheap, and right for every text that is JSON. */
function depth(text: string): number {
  let open = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c /* \ */) index++;
      else if (code === 0x22 /* " */) inString = false;
    } else if (code === 0x22) {
      inString = true;
    } else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      open++;
      if (open > deepest) deepest = open;
    } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) {
      open--;
    }
  }
  return deepest;
}
