import { type Codec, type FetchReply, readBytes } from '@flagsvc/sdk-core/client';

/** Shorter texts are not worth packing. */
const MIN_GZIP_LENGTH = 1024;

/** Reads JSON; throws when it is none, or no UTF-8. */
export const parseJson = (bytes: Uint8Array): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));

/** Decodes at most as many bytes as allowed, and packs events by gzip. */
export const createCodec = (
  accept: Codec['accept'] = () => 'application/json',
  decode: (bytes: Uint8Array, reply: FetchReply) => unknown = parseJson,
): Codec => ({
  accept,
  async read(reply, maxBytes) {
    const bytes = await readBytes(reply, maxBytes);
    try {
      return await decode(bytes, reply);
    } catch {
      throw new SyntaxError();
    }
  },
  async write(text, headers) {
    if (text.length < MIN_GZIP_LENGTH) return text;
    headers['content-encoding'] = 'gzip';
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  },
});
