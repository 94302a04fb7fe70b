/**
 * The regular expression dialect of `matches_regex`: what RE2 and ECMAScript share, with RE2's meaning, over
 * code points (EV-87 to EV-109). This file reads the grammar and builds the automaton (Thompson's construction);
 * `automaton.ts` walks it.
 */

import { MAX_PATTERN_LENGTH, MAX_PATTERN_REPEATS, MAX_PATTERN_STATES } from '../protocol/limits.ts';
import {
  type Assertion,
  type Chars,
  createAutomaton,
  isDigit,
  isLetter,
  isSpace,
  isWord,
  type Node,
  WORD,
} from './automaton.ts';

/**
 * A stretch of the pattern: what builds it in front of a node, whether it can be passed over, and whether it is a loop.
 * Nothing is made passable or a loop twice, so that a pattern has some nodes for each state that counts, and no more.
 * Undefined is what matches the empty text alone.
 */
type Part =
  | readonly [build: (next: number) => number, passes?: boolean | undefined, loops?: boolean | undefined]
  | undefined;

const META = '.^$|()[]{}*+?\\';
const ESCAPES = `${META}/tnfrdDwWs`;
/** What stands for something else behind a backslash. */
const MEANINGS: { readonly [letter: string]: number | Chars } = {
  t: 9,
  n: 10,
  f: 12,
  r: 13,
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code),
};
/** What a quantifier's sign is short for. */
const COUNTS: { readonly [sign: string]: string } = { '*': '0,', '+': '1,', '?': '0,1' };

/**
 * Reads the grammar and builds the automaton. Throws the index, in code points, at which the pattern leaves the
 * dialect.
 */
function createMatcher(source: string): (text: string) => boolean {
  const { length } = [...source];
  const nodes: Node[] = [];
  let rest = source;
  let size = 0;

  const expect = (ok: unknown): void => {
    if (!ok) throw length - [...rest].length;
  };
  /** Takes what the expression finds, which is anchored at its beginning. */
  const match = (expression: RegExp): RegExpExecArray | null => {
    const found = expression.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  const flags = match(/^\(\?([ims]+)\)/)?.[1] ?? '';
  const lines = Number(flags.includes('m'));

  const add = (ways: number[], takes?: Chars, asserts?: Assertion): number =>
    nodes.push([ways, takes, asserts]) - 1;
  /** A state that counts. */
  const one = (takes?: Chars, asserts?: Assertion): Part => [
    (next) => {
      expect(++size <= MAX_PATTERN_STATES);
      return add([next], takes, asserts);
    },
  ];

  /** What a shorthand takes, or the code points from a first to a last. */
  const between = (low: number | Chars, high = low): Chars => {
    const takes: Chars = typeof low === 'number' ? (code) => code >= low && code <= (high as number) : low;
    return (code) => takes(code) || (flags.includes('i') && isLetter(code) && takes(code ^ 32));
  };

  /** A literal's code, or what a shorthand stands for. */
  const character = (refused: string, escapes: string): number | Chars => {
    const isEscape = match(/^\\/);
    const [char = ''] = rest;
    expect(char && (isEscape ? escapes.includes(char) : !refused.includes(char)));
    rest = rest.slice(char.length);
    return (isEscape && MEANINGS[char]) || char.codePointAt(0)!;
  };

  /** A member of a class, or a range. A bare `-` stands only first or last. */
  const classItem = (isFirst: boolean): Chars => {
    if (match(isFirst ? /^-/ : /^-(?=])/)) return between(45);
    const member = (): number | Chars => {
      expect(!match(/^(?=([&~|])\1)/));
      return character('[]-', `${ESCAPES}-`);
    };
    const low = member();
    if (!match(/^-(?!])/)) return between(low);
    const high = member();
    expect(Number(low) <= Number(high));
    return between(low, high);
  };

  const atom = (): Part => {
    if (match(/^\(/)) {
      if (match(/^\?/)) expect(match(/^:/));
      const part = alternation();
      expect(match(/^\)/));
      return part;
    }
    if (match(/^\[/)) {
      const isNegated = match(/^\^/) !== null;
      const items = [classItem(true)];
      while (!match(/^]/)) items.push(classItem(false));
      return one((code) => items.some((item) => item(code)) !== isNegated);
    }
    if (match(/^\./)) return one((code) => code !== 10 || flags.includes('s'));
    return one(between(character(META, `${ESCAPES}S`)));
  };

  const quantified = (): Part => {
    const part = atom();
    const found = match(/^(?:([*+?])|\{((?:0|[1-9]\d*)(?:,(?:0|[1-9]\d*)?)?)\})\??/);
    if (!found) return part;
    const [, sign, counts = COUNTS[sign!]!] = found;
    const [min, max = min] = counts.split(',');
    return repeat(part, Number(min), Number(max || Infinity));
  };

  const repeat = (part: Part, min: number, max: number): Part => {
    const isOpen = max === Infinity;
    const copies = isOpen ? min || 1 : max;
    expect(min <= max && copies <= MAX_PATTERN_REPEATS);
    if (!part || !max) return undefined;
    const [build, passes, loops] = part;
    // Again and again what is again and again already.
    if (loops && isOpen && min < 2) return repeat(part, min, 1);
    if (max === 1 && (min || passes)) return part;
    return [
      (next) => {
        let first = next;
        let left = copies;
        if (isOpen) {
          const ways = [next];
          const loop = add(ways);
          const body = build(loop);
          ways.push(body);
          first = min ? body : loop;
          left--;
        }
        for (; left > 0; left--) first = left > min ? add([build(first), next]) : build(first);
        return first;
      },
      passes || !min,
      isOpen && min < 2,
    ];
  };

  const branch = (): Part => {
    let whole: Part;
    while (match(/^(?=[^|)])/)) {
      const sign = match(/^(?:[$^]|\\b)/i)?.[0];
      const asserts: Assertion = (before, after) => {
        if (sign === '^') return before <= lines;
        if (sign === '$') return after <= lines;
        return ((before === WORD) !== (after === WORD)) === (sign === '\\b');
      };
      whole = chain(whole, sign ? one(undefined, asserts) : quantified());
    }
    return whole;
  };

  /** One after the other. */
  const chain = (first: Part, second: Part): Part =>
    first && second ? [(next) => first[0](second[0](next)), first[1] && second[1]] : (first ?? second);

  /** One of two. Where one is empty, the other can be passed over. */
  const either = (first: Part, second: Part): Part =>
    first && second
      ? [(next) => add([first[0](next), second[0](next)]), first[1] || second[1]]
      : repeat(first ?? second, 0, 1);

  const alternation = (): Part => {
    let whole = branch();
    while (match(/^\|/)) whole = either(whole, branch());
    return whole;
  };

  expect(rest && length <= MAX_PATTERN_LENGTH);
  const whole = alternation();
  expect(!rest);
  const end = add([]);
  return createAutomaton(nodes, whole ? whole[0](end) : end);
}

/** The matcher; or where the pattern leaves the dialect, as an index in code points. */
function readPattern(source: string): ((text: string) => boolean) | number {
  try {
    return createMatcher(source);
  } catch (fault) {
    if (typeof fault === 'number') return fault;
    // The machine's, such as a stack that is full: it says nothing of the pattern.
    throw fault;
  }
}

/** Where a pattern leaves the dialect, as an index in code points; -1 when it is valid. */
export function patternFault(source: string): number {
  const read = readPattern(source);
  return typeof read === 'number' ? read : -1;
}

/** True when `matches_regex` understands the pattern; the server refuses the others with `REGEX_INVALID`. */
export function isPatternValid(source: string): boolean {
  return patternFault(source) < 0;
}

/**
 * Reads a pattern, once, for many texts: the function returned is true if the pattern matches anywhere in the
 * text. Undefined when the pattern is outside the dialect.
 */
export function compilePattern(source: string): ((text: string) => boolean) | undefined {
  const read = readPattern(source);
  return typeof read === 'number' ? undefined : read;
}
