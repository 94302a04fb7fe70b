import type { Codec } from '@flagsvc/sdk-core/client';
import { createCodec, parseJson } from './codec.ts';

/** More than the largest ruleset holds. A body of the default `maxBodyBytes` could hold 33 million, in 2 GB of heap. */
const VALUES_MAX = 2 ** 22;

/** Asks for MessagePack, takes JSON as well, and after a body that it could not decode asks for JSON from then on. */
export const createMsgpackCodec = (): Codec => {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let accept = 'application/msgpack, application/json;q=0.9';
  return createCodec(
    () => accept,
    async (bytes, { headers }) => {
      try {
        if (!headers.get('content-type')?.startsWith('application/msgpack')) return parseJson(bytes);
        // Loaded when there is MessagePack to decode.
        const { decodeMsgpack } = await import('@flagsvc/sdk-core/msgpack');
        return decodeMsgpack(bytes, (text) => utf8.decode(text), { valuesMax: VALUES_MAX });
      } catch (error) {
        accept = 'application/json';
        throw error;
      }
    },
  );
};
