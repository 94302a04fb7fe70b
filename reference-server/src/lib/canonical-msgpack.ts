import { encode } from '@msgpack/msgpack';

/** MessagePack with names in order, so that equal values have equal bytes on every node. Leaves out undefined members. */
export function canonicalMsgpack(value: unknown): Uint8Array {
  return encode(value, { ignoreUndefined: true, sortKeys: true });
}
