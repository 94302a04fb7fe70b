import { type BodyDecoder, type FetchReply, readBytes } from '@flagsvc/sdk-core/client';

/** Parses JSON in UTF-8. Throws if the bytes are not valid UTF-8 or not JSON. */
export const parseJson = (bytes: Uint8Array): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));

/** Creates a decoder that reads a body up to its size limit and then parses it, by default as JSON. */
export const createBodyDecoder = (
  accept: BodyDecoder['accept'] = () => 'application/json',
  parse: (bytes: Uint8Array, reply: FetchReply) => unknown = parseJson,
): BodyDecoder => ({
  accept,
  async decode(reply, maxBytes) {
    const bytes = await readBytes(reply, maxBytes);
    try {
      return await parse(bytes, reply);
    } catch {
      throw new SyntaxError();
    }
  },
});
