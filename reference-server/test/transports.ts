import type { FastifyInstance } from 'fastify';
import type { Call, RawAnswer, Transport } from './api-call.ts';
import { createContract } from './contract.ts';

const PREFIX = '/api/v1';
const ROOT_PATHS = /^\/(health|openapi\.json|docs|schemas|\.well-known)\b/;

/** A transport to a ready server in this process. Throws when an answer does not match `/openapi.json`. */
export function createAppTransport(app: FastifyInstance): Transport {
  const check = createContract(app);
  return async (call): Promise<RawAnswer> => {
    const { method, path, headers, payload } = requestOf(call);
    const response = await app.inject({
      method,
      url: path,
      headers,
      ...(payload !== undefined && { payload }),
    });
    const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
    const body = isStream ? response.body : parse(response.body);
    check(method, path.split('?', 1)[0]!, response.statusCode, { body, headers: response.headers });
    return { status: response.statusCode, body, headers: response.headers };
  };
}

/** A transport to a server in another process. */
export function createHttpTransport(origin: string): Transport {
  return async (call): Promise<RawAnswer> => {
    const { method, path, headers, payload } = requestOf(call);
    const response = await fetch(`${origin}${path}`, {
      method,
      headers,
      ...(payload !== undefined && { body: payload }),
    });
    return {
      status: response.status,
      body: parse(await response.text()),
      headers: Object.fromEntries(response.headers),
    };
  };
}

function requestOf({ method = 'GET', url, token, body, headers }: Call) {
  return {
    method,
    path: ROOT_PATHS.test(url) ? url : `${PREFIX}${url}`,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    payload: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const parse = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));
