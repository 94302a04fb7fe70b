import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type ApiError, errorBody } from '../http/errors.ts';

/** Sends a JSON answer that no cache keeps. */
export function sendJson(
  response: ServerResponse,
  status: number,
  { body, headers = {} }: { readonly body?: unknown; readonly headers?: OutgoingHttpHeaders },
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response
    .writeHead(status, {
      'cache-control': 'no-store',
      ...(text !== '' && { 'content-type': 'application/json; charset=utf-8' }),
      ...(status !== 204 && { 'content-length': Buffer.byteLength(text) }),
      ...headers,
    })
    .end(text);
}

/** Sends an error in the envelope of the API. */
export function sendApiError(response: ServerResponse, error: ApiError): void {
  sendJson(response, error.status, { body: errorBody(error), headers: error.headers });
}
