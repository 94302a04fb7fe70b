/**
 * Decodes MessagePack that contains only types of JSON. The input may be hostile: nothing is allocated before its bytes
 * have arrived, nothing recurses, and every name stays an own property (decisions/0036).
 */

/** Why decoding failed. `malformed` input is not MessagePack, or contains a type that JSON does not have. */
export type MsgpackFault = 'malformed' | 'depth' | 'values' | 'members';

/** Thrown by `decodeMsgpack`. The message starts in lower case and names the byte. */
export class MsgpackError extends Error {
  readonly fault: MsgpackFault;

  constructor(fault: MsgpackFault, message: string) {
    super(message);
    this.name = 'MsgpackError';
    this.fault = fault;
  }
}

/** Limits of `decodeMsgpack`; each is unlimited by default. */
export interface MsgpackLimits {
  /** How deep arrays and maps may be nested. */
  readonly depthMax?: number;
  /** How many values there may be in total: array items, map members and the outermost value. */
  readonly valuesMax?: number;
  /** How many map members there may be in total. Their names cost more than values. */
  readonly membersMax?: number;
}

/** Decodes UTF-8, and throws on anything else. It must keep a byte order mark. */
export type ReadUtf8 = (bytes: Uint8Array) => string;

/** Texts of up to this many bytes are decoded here, because a call to the runtime's decoder costs more. */
const SHORT = 24;

const NO_LIMIT = Number.POSITIVE_INFINITY;

type Members = Record<string, unknown>;

/** An array or map that is not complete yet. */
interface Frame {
  readonly outer: Frame | undefined;
  readonly depth: number;
  readonly target: unknown[] | Members;
  left: number;
}

/** The decoded value. As in JSON, the last of several members with the same name counts. Throws a `MsgpackError`. */
export function decodeMsgpack(bytes: Uint8Array, readUtf8: ReadUtf8, limits: MsgpackLimits = {}): unknown {
  const { depthMax = NO_LIMIT, valuesMax = NO_LIMIT, membersMax = NO_LIMIT } = limits;
  const reader = createReader(bytes, readUtf8);
  let frame: Frame | undefined;
  let root: unknown;
  let values = 0;
  let members = 0;
  for (;;) {
    const key = frame === undefined || Array.isArray(frame.target) ? undefined : reader.key();
    if (key !== undefined && ++members > membersMax)
      throw new MsgpackError('members', `it contains more than ${membersMax} members`);
    const value = reader.value();
    if (++values > valuesMax) throw new MsgpackError('values', `it contains more than ${valuesMax} values`);
    if (frame === undefined) root = value;
    else put(frame, key, value);
    if (reader.entries > 0) {
      const depth = (frame?.depth ?? 0) + 1;
      if (depth > depthMax) throw new MsgpackError('depth', `it is nested deeper than ${depthMax}`);
      frame = { outer: frame, depth, target: value as Frame['target'], left: reader.entries };
    }
    while (frame !== undefined && frame.left === 0) frame = frame.outer;
    if (frame === undefined) break;
  }
  reader.end();
  return root;
}

function put(frame: Frame, key: string | undefined, value: unknown): void {
  frame.left--;
  const { target } = frame;
  if (key === undefined) (target as unknown[]).push(value);
  else if (key !== '__proto__') (target as Members)[key] = value;
  // Assigning to `__proto__` would set the prototype.
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

interface Reader {
  /** The next value. An array or map is returned empty; `entries` then says how many items or members follow. */
  value(): unknown;
  readonly entries: number;
  key(): string;
  /** Throws when there are bytes left. */
  end(): void;
}

function createReader(bytes: Uint8Array, readUtf8: ReadUtf8): Reader {
  const end = bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  let at = 0;
  /** How many announced values have not been read. Each needs at least one byte. */
  let pending = 1;

  const malformed = (message: string): MsgpackError => new MsgpackError('malformed', message);

  /** Consumes `size` bytes and returns the position of the first. */
  const take = (size: number): number => {
    const start = at;
    at += size;
    if (at > end) throw malformed(`byte ${start} begins a value that is cut off`);
    return start;
  };

  const size = (width: number): number => {
    const start = take(width);
    if (width === 1) return bytes[start]!;
    return width === 2 ? view.getUint16(start) : view.getUint32(start);
  };

  const text = (length: number): string => {
    const start = take(length);
    try {
      return (
        (length <= SHORT ? readShort(bytes, start, at) : undefined) ?? readUtf8(bytes.subarray(start, at))
      );
    } catch {
      throw malformed(`the text at byte ${start} is not UTF-8`);
    }
  };

  /** A cache of names by a hash of their bytes, because most names repeat in every item. */
  const names: ({ readonly start: number; readonly length: number; readonly name: string } | undefined)[] =
    [];

  const shortName = (length: number): string => {
    const slot = (length ^ (bytes[at]! << 2) ^ (bytes[at + length - 1]! << 4)) & 0xff;
    const known = names[slot];
    let same = 0;
    if (known?.length === length)
      while (same < length && bytes[known.start + same] === bytes[at + same]) same++;
    if (known !== undefined && same === length) {
      at += length;
      return known.name;
    }
    const start = at;
    const name = text(length);
    names[slot] = { start, length, name };
    return name;
  };

  const expectEntries = <T>(target: T, entries: number, valuesEach: number): T => {
    reader.entries = entries;
    pending += entries * valuesEach;
    if (pending > end - at) throw malformed(`byte ${at} announces more values than there are bytes`);
    return target;
  };
  const list = (entries: number): unknown[] => expectEntries([], entries, 1);
  const map = (entries: number): Members => expectEntries({}, entries, 2);

  const long = (high: number, low: number): number => high * 2 ** 32 + low;

  function value(): unknown {
    const head = bytes[take(1)]!;
    pending--;
    reader.entries = 0;
    if (head < 0x80) return head;
    if (head < 0x90) return map(head & 0x0f);
    if (head < 0xa0) return list(head & 0x0f);
    if (head < 0xc0) return text(head & 0x1f);
    if (head >= 0xe0) return head - 0x100;
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return view.getFloat32(take(4));
      case 0xcb:
        return view.getFloat64(take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return size(2 ** (head - 0xcc));
      case 0xcf:
        return long(size(4), size(4));
      case 0xd0:
        return view.getInt8(take(1));
      case 0xd1:
        return view.getInt16(take(2));
      case 0xd2:
        return view.getInt32(take(4));
      case 0xd3:
        return long(view.getInt32(take(4)), size(4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return text(size(2 ** (head - 0xd9)));
      case 0xdc:
      case 0xdd:
        return list(size(2 ** (head - 0xdb)));
      case 0xde:
      case 0xdf:
        return map(size(2 ** (head - 0xdd)));
      default:
        throw malformed(
          `byte ${at - 1} is ${head === 0xc1 ? 'of a type that MessagePack does not define' : 'binary or an extension, which JSON does not have'}`,
        );
    }
  }

  const reader = {
    entries: 0,
    value,
    key(): string {
      const start = at;
      const head = bytes[at]!;
      if (head > 0xa0 && head < 0xc0) {
        at++;
        pending--;
        return shortName(head & 0x1f);
      }
      const key = value();
      if (typeof key === 'string') return key;
      // Some languages do not distinguish "1" and 1 as names.
      if (Number.isInteger(key)) return String(key);
      throw malformed(`the name at byte ${start} is not a text`);
    },
    end(): void {
      if (at < end) throw malformed(`byte ${at} comes after the end of the value`);
    },
  };
  return reader;
}

/** Decodes a text whose characters have at most three bytes each; undefined for any other text, valid or not. */
function readShort(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = '';
  for (let at = start; at < end; ) {
    const first = bytes[at++]!;
    if (first < 0x80) {
      text += String.fromCharCode(first);
      continue;
    }
    const second = at < end ? bytes[at++]! ^ 0x80 : 0x80;
    if (first < 0xc2 || first > 0xef || second > 0x3f) return undefined;
    let code = ((first & 0x1f) << 6) | second;
    if (first > 0xdf) {
      const third = at < end ? bytes[at++]! ^ 0x80 : 0x80;
      code = ((code & 0x3ff) << 6) | third;
      // Refuses overlong encodings and surrogates.
      if (third > 0x3f || code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    }
    text += String.fromCharCode(code);
  }
  return text;
}
