import type { BodyDecoder } from '@flagsvc/sdk-core/client';
import { createBodyDecoder, parseJson } from './body-decoder.ts';

/**
 * More values than the largest ruleset has. A body of 32 MiB could contain 33 million values, which need 2 GB of heap.
 */
const MAX_VALUES = 2 ** 22;

/** Creates a decoder that requests MessagePack and accepts JSON. After an invalid body it requests JSON only. */
export const createMsgpackDecoder = (): BodyDecoder => {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let accept = 'application/msgpack, application/json;q=0.9';
  return createBodyDecoder(
    () => accept,
    async (bytes, { headers }) => {
      try {
        if (!headers.get('content-type')?.startsWith('application/msgpack')) return parseJson(bytes);
        // Loaded only when there is MessagePack to decode.
        const { decodeMsgpack } = await import('@flagsvc/sdk-core/msgpack');
        return decodeMsgpack(bytes, (text) => utf8.decode(text), { valuesMax: MAX_VALUES });
      } catch (error) {
        accept = 'application/json';
        throw error;
      }
    },
  );
};
