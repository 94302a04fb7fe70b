import type { Json, Ruleset } from '@flagsvc/sdk-core';
import { encode } from '@msgpack/msgpack';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { canonicalMsgpack } from '../../lib/canonical-msgpack.ts';
import type { PreparedChunks } from './prepared-chunks.ts';

const COMMA = Buffer.from(',');

/** The named members of a ruleset as a JSON object between `before` and `after`, in parts. */
export function writeJson(
  { ruleset, list }: PreparedChunks,
  names: readonly string[],
  [before, after]: readonly [before: string, after: string] = ['', ''],
): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let text = `${before}{`;
  for (const [index, name] of names.entries()) {
    text += `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    if (name !== 'flags') {
      text += canonicalJson(ruleset[name as keyof Ruleset] as Json);
      continue;
    }
    parts.push(Buffer.from(`${text}[`));
    for (const [chunk, { json }] of list.entries()) {
      if (chunk > 0) parts.push(COMMA);
      parts.push(json);
    }
    text = ']';
  }
  parts.push(Buffer.from(`${text}}${after}`));
  return parts;
}

/** `{ data: ruleset }` in MessagePack, in parts: the bytes of `canonicalMsgpack` for the whole object. */
export function writeMsgpack({ ruleset, list }: PreparedChunks): Uint8Array[] {
  const names = Object.keys(ruleset).sort();
  const parts: Uint8Array[] = [Uint8Array.of(0x81), encode('data'), header('map', names.length)];
  for (const name of names) {
    parts.push(encode(name));
    if (name === 'flags') {
      parts.push(header('array', ruleset.flags.length), ...list.map((chunk) => chunk.msgpack()));
    } else {
      parts.push(canonicalMsgpack(ruleset[name as keyof Ruleset]));
    }
  }
  return parts;
}

/** Type bytes by length: up to 15, up to 65,535, and above. */
const TYPES = { map: [0x80, 0xde, 0xdf], array: [0x90, 0xdc, 0xdd] } as const;

/** The shortest header for a map or an array. */
function header(type: 'map' | 'array', length: number): Uint8Array {
  const [fix, short, long] = TYPES[type];
  if (length < 16) return Uint8Array.of(fix | length);
  const isShort = length < 2 ** 16;
  const bytes = Buffer.alloc(isShort ? 3 : 5, isShort ? short : long);
  if (isShort) bytes.writeUInt16BE(length, 1);
  else bytes.writeUInt32BE(length, 1);
  return bytes;
}
