import type { Codec } from '@flagsvc/sdk-core/client';
import { createCodec, parseJson } from './codec.ts';

/** Asks for MessagePack, takes JSON as well, and after a body that it could not decode asks for JSON from then on. */
export const createMsgpackCodec = (): Codec => {
  let accept = 'application/msgpack, application/json;q=0.9';
  return createCodec(
    () => accept,
    async (bytes, { headers }) => {
      try {
        if (!headers.get('content-type')?.startsWith('application/msgpack')) return parseJson(bytes);
        return (await import('./msgpack.ts')).decode(bytes);
      } catch (error) {
        accept = 'application/json';
        throw error;
      }
    },
  );
};
