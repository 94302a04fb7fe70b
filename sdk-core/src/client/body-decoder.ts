import type { BodyDecoder, FetchReply } from './ports.ts';

/** Decodes JSON with `text()`, which every `fetch` implements. Checks the length only after reading the whole body. */
export const jsonDecoder: BodyDecoder = {
  accept: () => 'application/json',
  async decode(reply, maxBytes) {
    const text = await reply.text();
    if (text.length > maxBytes) throw new RangeError();
    return JSON.parse(text);
  },
};

/**
 * Reads the bytes of a body. Throws a RangeError as soon as there are more than `maxBytes`, so a gzip bomb is never
 * unpacked completely. Accepts any async iterable, because older implementations of `fetch` do not return web streams.
 */
export const readBytes = async ({ body }: FetchReply, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw new RangeError();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
};
