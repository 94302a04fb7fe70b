import type { BodyDecoder } from '@flagsvc/sdk-core/client';
import { createBodyDecoder, parseJson } from './body-decoder.ts';

/** More than the largest ruleset has. A body of the default `maxBodyBytes` could hold 33 million, in 2 GB of heap. */
const MAX_VALUES = 2 ** 22;

/** Prefers MessagePack and takes JSON; after a body that it could not parse it accepts JSON only. */
export const createMsgpackDecoder = (): BodyDecoder => {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let accept = 'application/msgpack, application/json;q=0.9';
  return createBodyDecoder(
    () => accept,
    async (bytes, { headers }) => {
      try {
        if (!headers.get('content-type')?.startsWith('application/msgpack')) return parseJson(bytes);
        // Loaded when there is MessagePack to decode.
        const { decodeMsgpack } = await import('@flagsvc/sdk-core/msgpack');
        return decodeMsgpack(bytes, (text) => utf8.decode(text), { valuesMax: MAX_VALUES });
      } catch (error) {
        accept = 'application/json';
        throw error;
      }
    },
  );
};
