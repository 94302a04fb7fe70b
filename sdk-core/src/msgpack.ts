/**
 * Decodes MessagePack that holds what JSON could hold. Any stranger may send it: nothing is allocated for what
 * is only announced, nothing recurses, and every name stays an own property (decisions/0036).
 */

/** `malformed` bytes are not MessagePack, or hold what JSON has not. */
export type MsgpackFault = 'malformed' | 'depth' | 'values' | 'members';

/** Thrown by `decodeMsgpack`; the message begins in lower case and says at which byte. */
export class MsgpackError extends Error {
  readonly fault: MsgpackFault;

  constructor(fault: MsgpackFault, message: string) {
    super(message);
    this.name = 'MsgpackError';
    this.fault = fault;
  }
}

/** What is refused beyond what is malformed; by default nothing is. */
export interface MsgpackLimits {
  /** Arrays and maps in each other. */
  readonly depthMax?: number;
  /** Items of arrays and members of maps in all, and the value that holds them. */
  readonly valuesMax?: number;
  /** Members of maps in all: each has a name, which costs more than a value. */
  readonly membersMax?: number;
}

/** Decodes UTF-8, and throws when the bytes are something else. A byte order mark is a character like any other. */
export type ReadUtf8 = (bytes: Uint8Array) => string;

/** Bytes up to which a text is read here: calling out of the engine costs more. */
const SHORT = 24;

const NO_LIMIT = Number.POSITIVE_INFINITY;

type Members = Record<string, unknown>;

/** An array or map that has not all that it announced. */
interface Frame {
  readonly outer: Frame | undefined;
  readonly depth: number;
  readonly target: unknown[] | Members;
  left: number;
}

/** The value that the bytes hold. As in JSON, the last of several members of one name counts. */
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
      throw new MsgpackError('members', `it holds more than ${membersMax} members`);
    const value = reader.value();
    if (++values > valuesMax) throw new MsgpackError('values', `it holds more than ${valuesMax} values`);
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
  // An assignment would set the prototype.
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

interface Reader {
  /** The next value; an array or map is empty, and `entries` says how many items or members follow. */
  value(): unknown;
  readonly entries: number;
  key(): string;
  /** Throws when bytes are left. */
  end(): void;
}

function createReader(bytes: Uint8Array, readUtf8: ReadUtf8): Reader {
  const end = bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  let at = 0;
  /** Values that were announced and have not come; each has at least one byte. */
  let owed = 1;

  const malformed = (message: string): MsgpackError => new MsgpackError('malformed', message);

  /** Where the next `size` bytes begin. */
  const take = (size: number): number => {
    const start = at;
    at += size;
    if (at > end) throw malformed(`byte ${start} begins what does not end`);
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

  /** Names that were read, since they repeat item after item. */
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

  const announce = <T>(target: T, entries: number, valuesEach: number): T => {
    reader.entries = entries;
    owed += entries * valuesEach;
    if (owed > end - at) throw malformed(`byte ${at} announces more than follows`);
    return target;
  };
  const list = (entries: number): unknown[] => announce([], entries, 1);
  const map = (entries: number): Members => announce({}, entries, 2);

  const long = (high: number, low: number): number => high * 2 ** 32 + low;

  function value(): unknown {
    const head = bytes[take(1)]!;
    owed--;
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
          `byte ${at - 1} is ${head === 0xc1 ? 'of no type' : 'binary or an extension, which JSON has not'}`,
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
        owed--;
        return shortName(head & 0x1f);
      }
      const key = value();
      if (typeof key === 'string') return key;
      // Some languages know no difference between "1" and 1 as a name.
      if (Number.isInteger(key)) return String(key);
      throw malformed(`the name at byte ${start} is not a text`);
    },
    end(): void {
      if (at < end) throw malformed(`byte ${at} comes after its end`);
    },
  };
  return reader;
}

/** A text whose characters have at most three bytes; undefined when there is anything else, sound or not. */
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
      // Neither longer than it has to be, nor half of a pair.
      if (third > 0x3f || code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    }
    text += String.fromCharCode(code);
  }
  return text;
}
