/**
 * The regular expressions of `matches_regex`: the syntax that RE2 and ECMAScript share, with RE2's meaning, by code
 * points (EV-87 to EV-109). This file parses a pattern, `pattern-parts.ts` builds its automaton, and `automaton.ts` runs
 * it.
 */

import { MAX_PATTERN_LENGTH, MAX_PATTERN_REPEATS, MAX_PATTERN_STATES } from '../protocol/limits.ts';
import {
  type Assertion,
  type Chars,
  createAutomaton,
  EDGE,
  isDigit,
  isLetter,
  isSpace,
  isWord,
  NEWLINE,
  type Node,
  WORD,
} from './automaton.ts';
import { type AddNode, EMPTY, either, type Part, repeat, sequence, single } from './pattern-parts.ts';

const META = '.^$|()[]{}*+?\\';
const ESCAPES = `${META}/tnfrdDwWs`;
/** The code point or class that a letter means after a backslash. */
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
/** The counts that a quantifier's sign stands for. */
const COUNTS: { readonly [sign: string]: string } = { '*': '0,', '+': '1,', '?': '0,1' };

/** Parses a pattern and builds its automaton. Throws the index of the first error in the pattern, in code points. */
const createMatcher = (source: string): ((text: string) => boolean) => {
  const { length } = [...source];
  let rest = source;

  const expect = (isValid: unknown): void => {
    if (!isValid) throw length - [...rest].length;
  };
  /** Consumes the match of an expression, which must be anchored to the beginning; null if there is none. */
  const match = (expression: RegExp): RegExpExecArray | null => {
    const found = expression.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };

  const flags = match(/^\(\?([ims]+)\)/)?.[1] ?? '';
  /** The highest side at which `^` and `$` hold: the edge of the text or, in multiline patterns, a newline. */
  const lineEdge = flags.includes('m') ? NEWLINE : EDGE;

  /** The characters of the class `low`, or the code points from `low` to `high`. */
  const between = (low: number | Chars, high = low): Chars => {
    const takes: Chars = typeof low === 'number' ? (code) => code >= low && code <= (high as number) : low;
    return (code) => takes(code) || (flags.includes('i') && isLetter(code) && takes(code ^ 32));
  };

  /** Parses a literal to its code point, or an escape to its meaning. */
  const parseCharacter = (refused: string, extraEscape: string): number | Chars => {
    const isEscape = match(/^\\/);
    const [char = ''] = rest;
    expect(char && (isEscape ? (ESCAPES + extraEscape).includes(char) : !refused.includes(char)));
    rest = rest.slice(char.length);
    return (isEscape && MEANINGS[char]) || char.codePointAt(0)!;
  };

  /** Parses a member of a class, or a range. A bare `-` is a member only if it comes first or last. */
  const parseClassItem = (isFirst: boolean): Chars => {
    if (match(isFirst ? /^-/ : /^-(?=])/)) return between(45);
    const parseMember = (): number | Chars => {
      expect(!match(/^(?=([&~|])\1)/));
      return parseCharacter('[]-', '-');
    };
    const low = parseMember();
    if (!match(/^-(?!])/)) return between(low);
    const high = parseMember();
    expect(Number(low) <= Number(high));
    return between(low, high);
  };

  const parseAtom = (): Part => {
    if (match(/^\(/)) {
      if (match(/^\?/)) expect(match(/^:/));
      const part = parseAlternation();
      expect(match(/^\)/));
      return part;
    }
    if (match(/^\[/)) {
      const isNegated = match(/^\^/) !== null;
      const items = [parseClassItem(true)];
      while (!match(/^]/)) items.push(parseClassItem(false));
      return single((code) => items.some((item) => item(code)) !== isNegated);
    }
    if (match(/^\./)) return single((code) => code !== 10 || flags.includes('s'));
    return single(between(parseCharacter(META, 'S')));
  };

  const parseQuantified = (): Part => {
    const part = parseAtom();
    const found = match(/^(?:([*+?])|\{((?:0|[1-9]\d*)(?:,(?:0|[1-9]\d*)?)?)\})\??/);
    if (!found) return part;
    const [, sign, counts = COUNTS[sign!]!] = found;
    const [low, high = low] = counts.split(',');
    const min = Number(low);
    const max = Number(high || Infinity);
    expect(min <= max && (max === Infinity ? min : max) <= MAX_PATTERN_REPEATS);
    return repeat(part, min, max);
  };

  const parseBranch = (): Part => {
    let whole = EMPTY;
    while (match(/^(?=[^|)])/)) {
      const sign = match(/^(?:[$^]|\\b)/i)?.[0];
      const asserts: Assertion = (before, after) => {
        if (sign === '^') return before <= lineEdge;
        if (sign === '$') return after <= lineEdge;
        return ((before === WORD) !== (after === WORD)) === (sign === '\\b');
      };
      whole = sequence(whole, sign ? single(undefined, asserts) : parseQuantified());
    }
    return whole;
  };

  const parseAlternation = (): Part => {
    let whole = parseBranch();
    while (match(/^\|/)) whole = either(whole, parseBranch());
    return whole;
  };

  expect(rest && length <= MAX_PATTERN_LENGTH);
  const whole = parseAlternation();
  expect(!rest && whole.size <= MAX_PATTERN_STATES);
  const nodes: Node[] = [];
  const add: AddNode = (...node) => nodes.push(node) - 1;
  const end = add([]);
  return createAutomaton(nodes, whole.build(add, end));
};

/** A parsed pattern: its matcher, or the position of its first error. */
interface ReadPattern {
  readonly matches?: (text: string) => boolean;
  /** An index in code points; -1 when the pattern is valid. */
  readonly fault: number;
}

const readPattern = (source: string): ReadPattern => {
  try {
    return { matches: createMatcher(source), fault: -1 };
  } catch (fault) {
    if (typeof fault === 'number') return { fault };
    // An error of the engine, such as a full stack, says nothing about the pattern.
    throw fault;
  }
};

/** The position of a pattern's first error, in code points; -1 if the pattern is valid. */
export const patternFault = (source: string): number => readPattern(source).fault;

/** Whether `matches_regex` supports the pattern. The server refuses any other pattern with `REGEX_INVALID`. */
export const isPatternValid = (source: string): boolean => patternFault(source) < 0;

/**
 * Parses a pattern once for many texts. Returns a function that tests whether the pattern matches anywhere in a text, or
 * undefined if the pattern is invalid.
 */
export const compilePattern = (source: string): ((text: string) => boolean) | undefined =>
  readPattern(source).matches;
