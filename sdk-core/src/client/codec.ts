import type { Codec, FetchReply } from './ports.ts';

/** Reads JSON with what every `fetch` has; the length is known only when the body is there. */
export const jsonCodec: Codec = {
  accept: () => 'application/json',
  async read(reply, maxBytes) {
    const text = await reply.text();
    if (text.length > maxBytes) throw new RangeError();
    return JSON.parse(text);
  },
};

/**
 * The bytes of a body, given up as soon as there are more than `maxBytes`: a gzip bomb never unfolds. Also of one
 * that is no web stream, as older ways to fetch have it.
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
