import { decode, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMsgpack, MsgpackError, type MsgpackLimits } from './msgpack.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const read = (bytes: Uint8Array, limits?: MsgpackLimits) =>
  decodeMsgpack(bytes, (text) => utf8.decode(text), limits);
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const fault = (input: Uint8Array, limits?: MsgpackLimits) => {
  try {
    return read(input, limits);
  } catch (error) {
    return error instanceof MsgpackError ? `${error.fault}: ${error.message}` : error;
  }
};
/** A value as text for comparison, because `toEqual` ignores own properties named `__proto__`. */
const textOf = (value: unknown) => JSON.stringify(value);

const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 6 });

test('decodes the output of an encoder to the value that a JSON round trip gives', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(textOf(read(encode(value)))).toBe(textOf(JSON.parse(JSON.stringify(value))));
    }),
    { numRuns: 2_000 },
  );
});

test('decodes texts of every length and with characters of every width', () => {
  for (const character of ['a', 'é', '€', '\ufeff', '\uffff', '💚', '\0']) {
    for (const count of [0, 1, 7, 8, 11, 12, 24, 25, 31, 32, 255, 256, 65_535, 65_536]) {
      const text = character.repeat(count);
      expect(read(encode(text)) === text).toBe(true);
      expect(read(encode({ [text]: 1, [`${text}é`]: 2 }))).toEqual({ [text]: 1, [`${text}é`]: 2 });
    }
  }
});

test('decodes every number format to the nearest number', () => {
  const forms = [
    '00 7f ff e0 cc ff cd ff ff ce ff ff ff ff d0 80 d1 80 00 d2 80 00 00 00',
    'cf ff ff ff ff ff ff ff ff cf 00 20 00 00 00 00 00 01 d3 80 00 00 00 00 00 00 00 d3 ff ff ff ff ff ff ff ff',
    'ca 3f 80 00 00 cb 3f b9 99 99 99 99 99 9a cb 80 00 00 00 00 00 00 00',
  ];
  const input = bytes(`dc 00 13 ${forms.join(' ')} c0 c2`);
  expect(read(input)).toEqual(decode(input));
  expect(read(bytes('cf ff ff ff ff ff ff ff ff'))).toBe(2 ** 64);
});

test('distinguishes names that share their beginning, their length or their end', () => {
  const names = ['é', 'éé', 'ab', 'aab', 'b', 'abab', 'a', '', 'ba', '__proto__', '__proto_', 'constructor'];
  const members = names.map((name, index) => [name, index] as const);
  const list = [...names, ...names].map((_, index) =>
    Object.fromEntries(members.slice(index % names.length)),
  );
  expect(textOf(read(encode(list)))).toBe(textOf(list));
});

test('makes every name an own property and changes no prototype', () => {
  const value = read(bytes('82 a9 5f5f70726f746f5f5f 81 a1 61 01 a8 746f537472696e67 02')) as object;
  expect(textOf(value)).toBe('{"__proto__":{"a":1},"toString":2}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect('a' in value).toBe(false);
});

test('uses the last of several members with one name, and accepts integers as names', () => {
  expect(read(bytes('83 a1 61 01 a1 61 02 07 03'))).toEqual({ a: 2, 7: 3 });
});

describe('refuses', () => {
  test.each([
    ['', 'byte 0 begins a value that is cut off'],
    ['dd ff ff ff ff', 'byte 5 announces more values than there are bytes'],
    ['df 80 00 00 00 a1 61', 'byte 5 announces more values than there are bytes'],
    // There are bytes for each of the two arrays, but not for both.
    ['dc 00 06 dc 00 06 00 00 00', 'byte 6 announces more values than there are bytes'],
    ['db ff ff ff ff 61', 'byte 5 begins a value that is cut off'],
    ['92 01', 'byte 1 announces more values than there are bytes'],
    ['91 cd 01', 'byte 2 begins a value that is cut off'],
    ['01 02', 'byte 1 comes after the end of the value'],
    ['c1', 'byte 0 is of a type that MessagePack does not define'],
    ['c4 01 00', 'byte 0 is binary or an extension, which JSON does not have'],
    ['d6 ff 00 00 00 00', 'byte 0 is binary or an extension, which JSON does not have'],
    ['81 c0 01', 'the name at byte 1 is not a text'],
    ['81 90 01', 'the name at byte 1 is not a text'],
    ['81 81 a1 61 01 01', 'the name at byte 1 is not a text'],
  ])('%s, since %s', (hex, message) => {
    expect(fault(bytes(hex))).toBe(`malformed: ${message}`);
  });

  test.each([
    ...['80', 'c3', 'c3 28', 'c0 80', 'e0 80 80', 'ed a0 80', 'f0 80 80 80', 'f4 90 80 80', 'ff', 'e2 82'],
  ])('the bytes %s, which are not UTF-8, in short and long texts', (hex) => {
    for (const padding of [0, 40]) {
      const text = Buffer.concat([Buffer.alloc(padding, 'a'), bytes(hex)]);
      const input = Buffer.concat([Buffer.from([0xd9, text.length]), text]);
      expect(fault(input)).toBe('malformed: the text at byte 2 is not UTF-8');
    }
  });

  test('input that is nested deeper or contains more values than the limits allow', () => {
    const nested = bytes('91 91 91 00');
    expect(read(nested, { depthMax: 3, valuesMax: 4 })).toEqual([[[0]]]);
    expect(fault(nested, { depthMax: 2 })).toBe('depth: it is nested deeper than 2');
    expect(fault(nested, { valuesMax: 3 })).toBe('values: it contains more than 3 values');
    const named = bytes('82 a1 61 81 a1 62 01 a1 63 02');
    expect(read(named, { membersMax: 3 })).toEqual({ a: { b: 1 }, c: 2 });
    expect(fault(named, { membersMax: 2 })).toBe('members: it contains more than 2 members');
    // Empty arrays and maps count as values.
    expect(read(bytes('92 90 80'), { depthMax: 1, valuesMax: 3 })).toEqual([[], {}]);
  });
});

test('does not recurse', () => {
  let value = read(Buffer.concat([Buffer.alloc(1_000_000, 0x91), Buffer.from([7])]));
  let depth = 0;
  for (; Array.isArray(value); value = value[0]) depth++;
  expect([depth, value]).toEqual([1_000_000, 7]);
});

test('decodes or refuses any bytes, and agrees with another decoder on what both accept', () => {
  const some = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(json, fc.nat(), fc.nat(255)).map(([value, place, byte]) => {
      const input = encode(value);
      input[place % input.length] = byte;
      return input;
    }),
  );
  let accepted = 0;
  fc.assert(
    fc.property(some, (input) => {
      const mine = fault(input);
      expect(mine).not.toBeInstanceOf(Error);
      if (typeof mine === 'string' && /^malformed: /.test(mine)) return;
      accepted++;
      // The other decoder refuses this name.
      if (Buffer.from(input).includes('__proto__')) return;
      expect(mine).toEqual(decode(input));
    }),
    { numRuns: 20_000 },
  );
  expect(accepted).toBeGreaterThan(1_000);
});
