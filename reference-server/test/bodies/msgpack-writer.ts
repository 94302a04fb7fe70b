import type { Dice } from './dice.ts';

/** Longer output is cut here. */
const LENGTH_MAX = 4 * 2 ** 20;
const room = Buffer.alloc(LENGTH_MAX);

/**
 * Writes a value as MessagePack. With the probability `faultRate` per part, a head announces a wrong number of members, or
 * a part that JSON cannot express is inserted. Some heads are wider than necessary.
 */
export function writeMsgpack(value: unknown, dice: Dice, faultRate: number): Buffer {
  let length = 0;
  const write = (part: Buffer): void => {
    length += part.copy(room, length);
  };
  const head = (kinds: Kinds, count: number): void => {
    const announced = dice.chance(faultRate)
      ? dice.pick([0, count + 1, count * 2, 65_535, 2 ** 25, 2 ** 32 - 1])
      : count;
    write(headOf(kinds, announced, dice.chance(0.1)));
  };
  const put = (part: unknown): void => {
    if (dice.chance(faultRate)) write(dice.pick(STRANGE));
    if (part === null || part === undefined) write(NIL);
    else if (typeof part === 'boolean') write(part ? TRUE : FALSE);
    else if (typeof part === 'number') write(numberOf(part, dice));
    else if (typeof part === 'string') {
      const text = Buffer.from(part);
      head(TEXT, text.length);
      write(text);
    } else if (Array.isArray(part)) {
      head(LIST, part.length);
      for (const item of part) put(item);
    } else {
      const members = Object.entries(part);
      head(MAP, members.length);
      for (const [name, member] of members) {
        put(name);
        put(member);
      }
    }
  };
  put(value);
  return Buffer.from(room.subarray(0, length));
}

/**
 * How MessagePack begins a kind of value: the first byte of short values, the most members that this byte can count,
 * and the first bytes of longer values. After such a first byte, the length follows in 1, 2 or 4 bytes.
 */
interface Kinds {
  readonly short: number;
  readonly most: number;
  readonly long: readonly [number | undefined, number, number];
}
const TEXT: Kinds = { short: 0xa0, most: 31, long: [0xd9, 0xda, 0xdb] };
const LIST: Kinds = { short: 0x90, most: 15, long: [undefined, 0xdc, 0xdd] };
const MAP: Kinds = { short: 0x80, most: 15, long: [undefined, 0xde, 0xdf] };

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const NIL = bytes(0xc0);
const FALSE = bytes(0xc2);
const TRUE = bytes(0xc3);
/** Binary data, extensions, timestamps, an undefined byte, and text that is not UTF-8. */
const STRANGE = [
  bytes(0xc1),
  bytes(0xc4, 1, 0),
  bytes(0xc6, 255, 255, 255, 255),
  bytes(0xc7, 12, 255, ...Array(12).fill(0)),
  bytes(0xc9, 255, 255, 255, 255, 1),
  bytes(0xd6, 255, 0, 0, 0, 0),
  bytes(0xa2, 0xc3, 0x28),
  bytes(0xa3, 0xed, 0xa0, 0x80),
];

function headOf({ short, most, long }: Kinds, count: number, isWide: boolean): Buffer {
  const [one, two, four] = long;
  if (!isWide && count <= most) return bytes(short | count);
  if (!isWide && one !== undefined && count < 256) return bytes(one, count);
  const isFour = count > 65_535 || isWide;
  const head = Buffer.alloc(isFour ? 5 : 3);
  head[0] = isFour ? four : two;
  if (isFour) head.writeUInt32BE(count, 1);
  else head.writeUInt16BE(count, 1);
  return head;
}

function numberOf(value: number, dice: Dice): Buffer {
  if (Number.isInteger(value) && value >= 0 && value < 128 && !dice.chance(0.1)) return bytes(value);
  const head = Buffer.alloc(9);
  if (Number.isSafeInteger(value) && dice.chance(0.5)) {
    head[0] = 0xd3;
    head.writeBigInt64BE(BigInt(value), 1);
  } else {
    head[0] = 0xcb;
    head.writeDoubleBE(value, 1);
  }
  return head;
}
