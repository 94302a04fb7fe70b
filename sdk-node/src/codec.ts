import { type Codec, readBytes } from '@flagsvc/sdk-core/client';

/** Decodes MessagePack. */
export type DecodeMsgpack = (bytes: Uint8Array) => unknown;

/** Shorter texts are not worth packing. */
const MIN_GZIP_LENGTH = 1024;

const gzip = async (text: string): Promise<Uint8Array> => {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

/**
 * Reads at most as many bytes as allowed, and packs events. With a loader for MessagePack it asks for that, reads
 * what comes, and after a body that it could not decode asks for JSON from then on.
 */
export const createCodec = (loadMsgpack?: () => Promise<DecodeMsgpack>): Codec => {
  let asksForMsgpack = loadMsgpack !== undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return {
    accept: () => (asksForMsgpack ? 'application/msgpack, application/json;q=0.9' : 'application/json'),
    async read(reply, maxBytes) {
      const bytes = await readBytes(reply, maxBytes);
      try {
        if (loadMsgpack && reply.headers.get('content-type')?.startsWith('application/msgpack')) {
          return (await loadMsgpack())(bytes);
        }
        return JSON.parse(decoder.decode(bytes));
      } catch {
        asksForMsgpack = false;
        throw new SyntaxError();
      }
    },
    async write(text, headers) {
      if (text.length < MIN_GZIP_LENGTH) return text;
      headers['content-encoding'] = 'gzip';
      return gzip(text);
    },
  };
};
