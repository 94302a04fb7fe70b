import { isExactNumber } from '../../app/exact-number.ts';

/** Where a text stops being JSON, counted from 1, and why. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly kind:
    | 'end'
    | 'unexpected'
    | 'comma'
    | 'quote'
    | 'control'
    | 'escape'
    | 'number'
    | 'twice'
    | 'rest';
  /** The character or key that is wrong. */
  readonly found: string;
}

class Fault extends Error {
  readonly kind: JsonFault['kind'];
  readonly at: number;
  readonly found: string;

  constructor(kind: JsonFault['kind'], at: number, found = '') {
    super(kind);
    this.kind = kind;
    this.at = at;
    this.found = found;
  }
}

/**
 * The first fault of a text that should be JSON; undefined when there is none. Browsers word the errors of `JSON.parse`
 * differently, and some name no place. Also refuses a key that occurs twice, of which `JSON.parse` drops one.
 */
export function jsonFault(text: string): JsonFault | undefined {
  try {
    const end = space(text, value(text, space(text, 0), 0));
    if (end < text.length) throw new Fault('rest', end, charAt(text, end));
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const before = text.slice(0, error.at).split('\n');
    const { kind, found } = error;
    return { kind, found, line: before.length, column: [...before.at(-1)!].length + 1 };
  }
}

/** Deeper values would exhaust the stack. */
const DEPTH_MAX = 500;

const charAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0x20);

function space(text: string, at: number): number {
  let next = at;
  while (next < text.length && ' \t\r\n'.includes(text[next]!)) next++;
  return next;
}

/** Each reader returns the place after what it read. */
function value(text: string, at: number, depth: number): number {
  const first = text[at];
  if (first === undefined) throw new Fault('end', at);
  if (first === '"') return string(text, at);
  if ((first === '{' || first === '[') && depth < DEPTH_MAX) return list(text, at, depth);
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, at)) return at + word.length;
  if (first === '-' || (first >= '0' && first <= '9')) return number(text, at);
  throw new Fault(first === "'" ? 'quote' : 'unexpected', at, charAt(text, at));
}

function number(text: string, at: number): number {
  const [found] = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(text.slice(at)) ?? [''];
  const end = at + found.length;
  const isWhole = found !== '' && !/[\w.+-]/.test(text[end] ?? ' ');
  // `1e999` is a number of JSON but none of any SDK.
  if (!isWhole || !isExactNumber(found)) throw new Fault('number', at, found);
  return end;
}

function string(text: string, at: number): number {
  for (let next = at + 1; next < text.length; next++) {
    const one = text[next]!;
    if (one === '"') return next + 1;
    if (one < ' ') throw new Fault('control', next);
    if (one !== '\\') continue;
    const [escaped] = /^\\(["\\/bfnrt]|u[\da-fA-F]{4})/.exec(text.slice(next, next + 6)) ?? [];
    if (escaped === undefined) throw new Fault(next + 1 < text.length ? 'escape' : 'end', next, '\\');
    next += escaped.length - 1;
  }
  throw new Fault('end', text.length);
}

/** An array, or an object with its keys. */
function list(text: string, at: number, depth: number): number {
  const close = text[at] === '{' ? '}' : ']';
  const keys = new Set<string>();
  let next = space(text, at + 1);
  if (text[next] === close) return next + 1;
  for (;;) {
    if (close === '}') next = entryKey(text, next, keys);
    next = space(text, value(text, next, depth + 1));
    if (text[next] === close) return next + 1;
    if (text[next] !== ',') throw new Fault(next < text.length ? 'comma' : 'end', next, charAt(text, next));
    next = space(text, next + 1);
  }
}

/** Reads `"key":` and returns the place of the value. */
function entryKey(text: string, at: number, keys: Set<string>): number {
  if (at >= text.length) throw new Fault('end', at);
  if (text[at] !== '"') throw new Fault('quote', at, charAt(text, at));
  const end = string(text, at);
  const key = JSON.parse(text.slice(at, end)) as string;
  if (keys.has(key)) throw new Fault('twice', at, key);
  keys.add(key);
  const colon = space(text, end);
  if (text[colon] !== ':')
    throw new Fault(colon < text.length ? 'unexpected' : 'end', colon, charAt(text, colon));
  return space(text, colon + 1);
}
