/**
 * The regular expression dialect of `matches_regex`: what RE2 and ECMAScript share, with RE2's meaning, over code
 * points (EV-87 to EV-109). This file parses the grammar and builds the automaton (Thompson's construction); `automaton.ts` runs it.
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

/** A part of a pattern. */
interface Part {
  /** Adds the part's nodes in front of the node `next`, and returns the first of them. */
  readonly build: (next: number) => number;
  /** True when a path without any character or assertion leads through the part. */
  readonly canSkip?: boolean | undefined;
  /** True when repeating the part any number of times changes nothing. */
  readonly isLoop?: boolean;
}

/** Matches the empty text. */
const EMPTY: Part = { build: (next) => next, canSkip: true };

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
/** The counts that a quantifier's sign is short for. */
const COUNTS: { readonly [sign: string]: string } = { '*': '0,', '+': '1,', '?': '0,1' };

/** Parses a pattern and builds its automaton. Throws the index, in code points, where the pattern leaves the dialect. */
function createMatcher(source: string): (text: string) => boolean {
  const { length } = [...source];
  const nodes: Node[] = [];
  let rest = source;
  let stateCount = 0;

  const expect = (isValid: boolean): void => {
    if (!isValid) throw length - [...rest].length;
  };
  /** Consumes what the expression matches. The expression is anchored to the beginning. */
  const match = (expression: RegExp): RegExpExecArray | null => {
    const found = expression.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };

  const flags = match(/^\(\?([ims]+)\)/)?.[1] ?? '';
  /** The last side at which `^` and `$` hold: the edge of the text, or in multiline patterns a newline too. */
  const lineEdge = flags.includes('m') ? NEWLINE : EDGE;

  const add = (next: number[], takes?: Chars, asserts?: Assertion): number =>
    nodes.push([next, takes, asserts]) - 1;

  /** A part of one node, which counts towards the limit. */
  const single = (takes?: Chars, asserts?: Assertion): Part => ({
    build(next) {
      stateCount++;
      expect(stateCount <= MAX_PATTERN_STATES);
      return add([next], takes, asserts);
    },
  });

  /** Takes what a class takes, or the code points from `low` to `high`. */
  const between = (low: number | Chars, high = low): Chars => {
    const takes: Chars = typeof low === 'number' ? (code) => code >= low && code <= (high as number) : low;
    return (code) => takes(code) || (flags.includes('i') && isLetter(code) && takes(code ^ 32));
  };

  /** Parses a literal to its code point, or an escape to its meaning. */
  const parseCharacter = (refused: string, extraEscape: string): number | Chars => {
    const isEscape = match(/^\\/) !== null;
    const [char = ''] = rest;
    expect(char !== '' && (isEscape ? (ESCAPES + extraEscape).includes(char) : !refused.includes(char)));
    rest = rest.slice(char.length);
    return (isEscape && MEANINGS[char]) || char.codePointAt(0)!;
  };

  /** Parses a member of a class, or a range. A bare `-` is a member only where it is first or last. */
  const parseClassItem = (isFirst: boolean): Chars => {
    if (match(isFirst ? /^-/ : /^-(?=])/)) return between(45);
    const parseMember = (): number | Chars => {
      expect(match(/^(?=([&~|])\1)/) === null);
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
      if (match(/^\?/)) expect(match(/^:/) !== null);
      const part = parseAlternation();
      expect(match(/^\)/) !== null);
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
    const [min, max = min] = counts.split(',');
    return repeat(part, Number(min), Number(max || Infinity));
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

  /**
   * Nothing is made skippable or a loop twice, so that the number of nodes stays proportional to the states that
   * count.
   */
  const repeat = (part: Part, min: number, max: number): Part => {
    const isOpen = max === Infinity;
    const copies = isOpen ? min || 1 : max;
    expect(min <= max && copies <= MAX_PATTERN_REPEATS);
    const { build, canSkip, isLoop } = part;
    if (part === EMPTY || max === 0) return EMPTY;
    if (isLoop && isOpen && min < 2) return repeat(part, min, 1);
    if (max === 1 && (min === 1 || canSkip)) return part;
    return {
      build(next) {
        let first = next;
        let left = copies;
        if (isOpen) {
          const targets = [next];
          const loop = add(targets);
          const body = build(loop);
          targets.push(body);
          first = min ? body : loop;
          left--;
        }
        for (; left > 0; left--) first = left > min ? add([build(first), next]) : build(first);
        return first;
      },
      canSkip: canSkip || min === 0,
      isLoop: isOpen && min < 2,
    };
  };

  const sequence = (first: Part, second: Part): Part => {
    if (first === EMPTY) return second;
    if (second === EMPTY) return first;
    return {
      build: (next) => first.build(second.build(next)),
      canSkip: first.canSkip && second.canSkip,
    };
  };

  const either = (first: Part, second: Part): Part => {
    if (first === EMPTY) return repeat(second, 0, 1);
    if (second === EMPTY) return repeat(first, 0, 1);
    return {
      build: (next) => add([first.build(next), second.build(next)]),
      canSkip: first.canSkip || second.canSkip,
    };
  };

  expect(rest !== '' && length <= MAX_PATTERN_LENGTH);
  const whole = parseAlternation();
  expect(rest === '');
  return createAutomaton(nodes, whole.build(add([])));
}

/** A pattern that was read: its matcher, or where it leaves the dialect. */
interface ReadPattern {
  readonly matches?: (text: string) => boolean;
  /** An index in code points; -1 when the pattern is valid. */
  readonly fault: number;
}

function readPattern(source: string): ReadPattern {
  try {
    return { matches: createMatcher(source), fault: -1 };
  } catch (fault) {
    if (typeof fault === 'number') return { fault };
    // An error of the engine, such as a full stack, says nothing about the pattern.
    throw fault;
  }
}

/** Where a pattern leaves the dialect, as an index in code points; -1 when it is valid. */
export const patternFault = (source: string): number => readPattern(source).fault;

/** True when `matches_regex` understands the pattern. The server refuses any other with `REGEX_INVALID`. */
export const isPatternValid = (source: string): boolean => patternFault(source) < 0;

/**
 * Reads a pattern once for many texts. The returned function is true if the pattern matches anywhere in the text.
 * Undefined when the pattern is outside the dialect.
 */
export const compilePattern = (source: string): ((text: string) => boolean) | undefined =>
  readPattern(source).matches;
