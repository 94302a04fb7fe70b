import type { RawAnswer, Transport } from './api-call.ts';

/** A transport to a server in another process, by `fetch`. Requests go below `/api/v1`. */
export function createHttpTransport(origin: string): Transport {
  return async ({ method = 'GET', url, token, body, headers = {} }): Promise<RawAnswer> => {
    const response = await fetch(`${origin}/api/v1${url}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      headers: Object.fromEntries(response.headers),
    };
  };
}
