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

/** The bytes of a body, given up as soon as there are more than `maxBytes`: a gzip bomb never unfolds. */
export const readBytes = async (reply: FetchReply, maxBytes: number): Promise<Uint8Array> => {
  const reader = reply.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    length += part.value.length;
    if (length > maxBytes) {
      // Not awaited: nothing depends on the end of the rest.
      reader?.cancel().catch(() => {});
      throw new RangeError();
    }
    chunks.push(part.value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
};
