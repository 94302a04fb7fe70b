import type { FetchLike } from '@flagsvc/sdk-core/client';

/** Shorter bodies are not compressed. */
const MIN_GZIP_LENGTH = 1024;

/** Wraps `fetch` so that it compresses long bodies of requests. */
export const gzipRequests =
  (fetch: FetchLike): FetchLike =>
  async (url, init) => {
    const { body } = init;
    if (typeof body !== 'string' || body.length < MIN_GZIP_LENGTH) return fetch(url, init);
    const compressed = new Response(body).body!.pipeThrough(new CompressionStream('gzip'));
    return fetch(url, {
      ...init,
      headers: { ...init.headers, 'content-encoding': 'gzip' },
      body: await new Response(compressed).arrayBuffer(),
    });
  };
