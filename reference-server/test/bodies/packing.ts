/** Changes the bytes of a body: adds faults, compresses it, and splits it into chunks. */
import { constants, crc32, gzipSync } from 'node:zlib';
import { type Dice, times } from './dice.ts';

/** Changes, removes, repeats or inserts bytes. */
export function spoil(body: Buffer, dice: Dice): Buffer {
  if (body.length === 0) return body;
  const from = dice.below(body.length);
  const to = Math.min(body.length, from + dice.size(200));
  const slice = body.subarray(from, to);
  return dice.pick<() => Buffer>([
    () => body.subarray(0, from),
    () => Buffer.concat([body.subarray(0, from), body.subarray(to)]),
    () =>
      Buffer.concat([
        body.subarray(0, to),
        ...times(dice.size(200_000 / slice.length), () => slice),
        body.subarray(to),
      ]),
    () => Buffer.concat([body.subarray(0, from), dice.pick(INSERTS), body.subarray(from)]),
    () => {
      const flipped = Buffer.from(body);
      flipped[from] = dice.below(256);
      return flipped;
    },
  ])();
}

const INSERTS = [
  Buffer.from([0xff]),
  Buffer.from('\ufeff'),
  Buffer.from('\\ud800'),
  Buffer.from('9'.repeat(100_000)),
  Buffer.from(`0.${'0'.repeat(100_000)}1e-400,`),
  Buffer.from('['.repeat(100_000)),
  Buffer.from('{"a":'.repeat(50_000)),
  Buffer.from(' '.repeat(500_000)),
  Buffer.from('"a":1,'.repeat(30_000)),
  Buffer.from([0xdd, 0x02, 0, 0, 0]),
  Buffer.alloc(60_000, Buffer.from([0xdc, 0xff, 0xff])),
];

/** Compresses a body with gzip; the result is often malformed. */
export function pack(body: Buffer, dice: Dice): Buffer {
  const packed = (): Buffer => gzipSync(body, { level: dice.below(10) });
  return dice.pick<() => Buffer>([
    packed,
    packed,
    () =>
      Buffer.concat([gzipSync(body.subarray(0, body.length / 2)), gzipSync(body.subarray(body.length / 2))]),
    () => Buffer.concat([packed(), Buffer.from('garbage')]),
    () => packed().subarray(0, -dice.size(20)),
    () => spoil(packed(), dice),
    () => gzipSync(packed()),
    () => body,
    () => dice.pick(BOMBS),
    () => Buffer.concat([packed(), ...times(dice.size(50_000), () => EMPTY)]),
    () => gzipSync(body, { strategy: constants.Z_FIXED }),
    () => gzipSync(body, { level: 0 }),
  ])();
}

const EMPTY = gzipSync('');
const BOMBS: readonly Buffer[] = [
  ...[2 ** 20 + 1, 2 ** 26].map((size) => gzipSync(Buffer.alloc(size, ' '))),
  ...[2 ** 16, 2 ** 18].map((size) => tables('{}', size)),
];

/** Gzip with many empty blocks, each with code tables that the reader must build. */
function tables(text: string, size: number): Buffer {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1);
  };
  // The code tables use only two symbols, each encoded in one bit: 18 (a run of zeros) and 1 (a code of one bit).
  const block = (isLast: boolean): void => {
    put(isLast ? 1 : 0, 1);
    put(0b10, 2);
    put(0, 10);
    put(14, 4);
    for (let place = 0; place < 18; place++) put(place === 2 || place === 17 ? 1 : 0, 3);
    put(1, 1);
    put(127, 7);
    put(1, 1);
    put(107, 7);
    // Three bits: a code length of 1 for the end of the block, a code length of 1 for the only distance code, and the
    // end of the block itself.
    put(0, 3);
  };
  const stored = Buffer.from(text);
  put(0, 1 + 2 + 5);
  put(stored.length, 16);
  put(0xffff - stored.length, 16);
  for (const byte of stored) put(byte, 8);
  while (bits.length / 8 < size - 40) block(false);
  block(true);
  const packed = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries()) packed[index >> 3]! |= bit << (index & 7);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(stored), 0);
  end.writeUInt32LE(stored.length, 4);
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), packed, end]);
}

/** Returns the body whole, or split into chunks of a random size. */
export function cut(body: Buffer, dice: Dice): Buffer | Buffer[] {
  if (!dice.chance(0.15)) return body;
  const size = dice.chance(0.3) ? dice.size(20) : dice.size(65_536);
  // The maximum of 6,000 chunks is more than the server accepts.
  const count = Math.min(6_000, Math.ceil(body.length / size));
  return times(count, (index) =>
    body.subarray(index * size, index === count - 1 ? undefined : (index + 1) * size),
  );
}
