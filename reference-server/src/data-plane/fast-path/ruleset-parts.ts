import type { Json, Ruleset } from '@flagsvc/sdk-core';
import { encode } from '@msgpack/msgpack';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Pages } from './prepared-chunks.ts';

const COMMA = Buffer.from(',');

/** A ruleset's named members in this order, each value in its canonical form, as parts that follow each other. */
export function writeJson(
  { ruleset, list }: Pages,
  names: readonly string[],
  before = '',
  after = '',
): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let text = `${before}{`;
  for (const [place, name] of names.entries()) {
    text += `${place > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    if (name !== 'flags') {
      text += canonicalJson(ruleset[name as keyof Ruleset] as Json);
      continue;
    }
    parts.push(Buffer.from(`${text}[`));
    for (const [page, { json }] of list.entries()) {
      if (page > 0) parts.push(COMMA);
      parts.push(json);
    }
    text = ']';
  }
  parts.push(Buffer.from(`${text}}${after}`));
  return parts;
}

/** The same in MessagePack, as `{ data: ruleset }`. */
export function writeMsgpack({ ruleset, list }: Pages, names: readonly string[]): Uint8Array[] {
  const parts: Uint8Array[] = [Uint8Array.of(0x81), encode('data'), header(0xdf, names.length)];
  for (const name of names) {
    parts.push(encode(name));
    if (name !== 'flags') {
      parts.push(encode(ruleset[name as keyof Ruleset], { ignoreUndefined: true }));
      continue;
    }
    parts.push(header(0xdd, ruleset.flags.length), ...list.map((page) => page.msgpack()));
  }
  return parts;
}

/** `map 32` (0xdf) or `array 32` (0xdd), with how many there are. */
function header(type: 0xdf | 0xdd, count: number): Uint8Array {
  const bytes = Buffer.from([type, 0, 0, 0, 0]);
  bytes.writeUInt32BE(count, 1);
  return bytes;
}
