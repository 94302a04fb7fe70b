import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

// `fetch` takes 17 MB of memory. Importing node:http would load it, because that module also exports WebSocket.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Ends the request, also while the body of the answer is read. */
  readonly signal: AbortSignal;
}

/** An answer whose body is still to be read. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Decompressed while it is read. Rejects if the connection ends early or compressed data is damaged. */
  readonly body: AsyncIterable<Uint8Array>;
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

/**
 * Sends a request, over a connection that an earlier one left open if there is one. Follows no redirect, so that the
 * key stays with its host. Rejects when there is no answer, with the system's code in `cause`. Uses the proxy and the
 * certificates that Node's own variables name.
 */
export function requestHttp(url: string, request: HttpRequest): Promise<HttpAnswer> {
  const { method, headers, body, signal } = request;
  const send = url.startsWith('https:') ? https.request : http.request;
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const outgoing = send(url, { method, signal, headers: { 'accept-encoding': 'gzip, br', ...headers } });
    outgoing.on('response', (incoming) => {
      isAnswered = true;
      resolve(toAnswer(incoming));
    });
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      // The server closed the connection of an earlier request at this moment. It recognizes what it has already taken.
      const isReset = cause.code === 'ECONNRESET' || cause.code === 'EPIPE';
      const isStale = outgoing.reusedSocket && isReset && !signal.aborted;
      if (isStale && !isAnswered) resolve(requestHttp(url, request));
      else reject(new Error('The request failed.', { cause }));
    });
    // Some answers, such as a change of protocol, end a request without an error.
    outgoing.on('close', () => reject(new Error('The request ended without an answer.')));
    outgoing.end(body);
  });
}

function toAnswer(incoming: IncomingMessage): HttpAnswer {
  const { statusCode, headers } = incoming;
  const decode = DECODERS.get(headers['content-encoding']?.toLowerCase() ?? '');
  return {
    status: statusCode!,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    // A fault reaches the reader of the body.
    body: decode === undefined ? incoming : pipeline(incoming, decode(), () => {}),
  };
}
