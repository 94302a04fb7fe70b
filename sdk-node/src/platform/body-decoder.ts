import { type BodyDecoder, type FetchReply, readBytes } from '@flagsvc/sdk-core/client';

/** Parses JSON in UTF-8; throws when the bytes are not that. */
export const parseJson = (bytes: Uint8Array): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));

/** Reads at most as many bytes as allowed, then parses them. Default: JSON. */
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
