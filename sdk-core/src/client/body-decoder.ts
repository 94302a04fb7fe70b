import type { BodyDecoder, FetchReply } from './ports.ts';

/** Decodes JSON by what every `fetch` has. The length is checked after the body was read. */
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
 * unpacked. Takes any async iterable, since bodies of older ways to fetch are no web streams.
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
