/**
 * The regular expression dialect of `matches_regex`: what RE2 and ECMAScript share, with RE2's meaning, over
 * code points (decision 0008). This file reads the grammar and builds the automaton (Thompson's construction);
 * `automaton.ts` walks it.
 */
import {
  type Assertion,
  type Chars,
  createAutomaton,
  isDigit,
  isLetter,
  isWord,
  type Node,
  WORD,
} from './automaton.ts';

/**
 * A stretch of the pattern: the states that count towards the bound, what builds it in front of a node, whether it can
 * be passed over, and whether it is a loop. Nothing is made passable or a loop twice, so that a pattern has some nodes
 * for each state that counts, and no more.
 */
type Part = readonly [
  size: number,
  build: (next: number) => number,
  passes?: boolean,
  loops?: boolean | undefined,
];

const MAX_LENGTH = 512;
const MAX_SIZE = 10_000;
const MAX_REPEAT = 1_000;
const META = '.^$|()[]{}*+?\\';
const CONTROLS: { readonly [letter: string]: number } = { t: 9, n: 10, f: 12, r: 13 };
const SHORTHANDS: { readonly [letter: string]: Chars } = {
  d: isDigit,
  w: isWord,
  s: (code) => code === 32 || (code > 8 && code < 14 && code !== 11),
};

const not = (chars: Chars): Chars => {
  return (code) => !chars(code);
};

/**
 * Reads the grammar; what it returns builds the automaton. Throws the index, in code points, at which the pattern
 * leaves the dialect.
 */
function createBuilder(source: string): () => (text: string) => boolean {
  const chars = Array.from(source);
  const nodes: Node[] = [{ ways: [], takes: undefined, asserts: undefined }];
  const flags = /^\(\?([ims]+)\)/.exec(source)?.[1] ?? '';
  const lines = Number(flags.includes('m'));
  let at = flags ? flags.length + 3 : 0;

  const expect = (ok: unknown): void => {
    if (!ok) throw at;
  };
  const take = (char: string): boolean => chars[at] === char && ++at > 0;
  const add = (ways: number[], takes?: Chars, asserts?: Assertion): number =>
    nodes.push({ ways, takes, asserts }) - 1;
  const taking = (set: Chars): Part => [1, (next) => add([next], set)];
  const asserting = (asserts: Assertion): Part => [1, (next) => add([next], undefined, asserts)];
  const folded = (set: Chars): Chars =>
    flags.includes('i') ? (code) => set(code) || (isLetter(code) && set(code ^ 32)) : set;

  /** A literal's code, or what a shorthand stands for. A class takes `\-` besides, and no `\S`. */
  const character = (refused: string, inClass: boolean): number | Chars => {
    const isEscape = take('\\');
    const char = chars[at] ?? '';
    const lower = char.toLowerCase();
    const shorthand = isEscape && SHORTHANDS[lower];
    const control = isEscape && CONTROLS[char];
    if (!isEscape) expect(char && !refused.includes(char));
    else if (shorthand) expect(!inClass || char !== 'S');
    else expect(control || (char && (META + (inClass ? '/-' : '/')).includes(char)));
    at++;
    if (shorthand) return char === lower ? shorthand : not(shorthand);
    return control || char.codePointAt(0)!;
  };
  const exactly = (member: number | Chars): Chars =>
    typeof member === 'number' ? (code) => code === member : member;

  /** A member of a class, or a range. A bare `-` stands only first or last. */
  const classItem = (isFirst: boolean): Chars => {
    if ((isFirst || chars[at + 1] === ']') && take('-')) return (code) => code === 45;
    const member = (): number | Chars => {
      expect(chars[at] !== chars[at + 1] || !'&~|'.includes(chars[at]!));
      return character('[]-', true);
    };
    const low = member();
    if (chars[at] !== '-' || chars[at + 1] === ']') return exactly(low);
    at++;
    const high = member();
    expect(Number(low) <= Number(high));
    return (code) => code >= (low as number) && code <= (high as number);
  };

  /** What stands behind `[`. */
  const charClass = (): Chars => {
    const isNegated = take('^');
    const items = [classItem(true)];
    while (!take(']')) items.push(classItem(false));
    const set = folded((code) => items.some((item) => item(code)));
    return isNegated ? not(set) : set;
  };

  const atom = (): Part => {
    if (take('(')) {
      if (take('?')) expect(take(':'));
      const part = alternation();
      expect(take(')'));
      return part;
    }
    if (take('[')) return taking(charClass());
    if (take('.')) return taking((code) => code !== 10 || flags.includes('s'));
    return taking(folded(exactly(character(META, false))));
  };

  const quantified = (): Part => {
    const part = atom();
    const found = /^(?:([*+?])|\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\})\??/.exec(chars.slice(at).join(''));
    if (!found) return part;
    const [all, sign, low, comma, high] = found;
    const min = low ? Number(low) : Number(sign === '+');
    const max = sign === '?' ? 1 : high ? Number(high) : low && !comma ? min : Infinity;
    at += all.length;
    expect(min <= max && min <= MAX_REPEAT && (max <= MAX_REPEAT || max === Infinity));
    const [, , passes, loops] = part;
    const isLoop = loops && max === Infinity && min < 2;
    if ((isLoop || (max === 1 && !min)) && (min || passes)) return part;
    return isLoop ? repeat(part, 0, 1) : repeat(part, min, max);
  };

  const repeat = ([size, build, passes, loops]: Part, min: number, max: number): Part => [
    size * (max < Infinity ? max : min || 1),
    (next) => {
      let first = next;
      // What has no states matches nothing but the empty text, however often.
      let copies = size && min;
      if (max < Infinity || !size) for (let i = min; size && i < max; i++) first = add([build(first), next]);
      else {
        const ways = [next];
        first = add(ways);
        ways.push(build(first));
        if (copies-- > 0) first = ways[1]!;
      }
      while (copies-- > 0) first = build(first);
      return first;
    },
    passes || !min,
    max === Infinity ? min < 2 : loops && max === 1,
  ];

  const branch = (): Part => {
    const parts: Part[] = [];
    while (at < chars.length && !'|)'.includes(chars[at]!)) {
      const escaped = chars[at]! + chars[at + 1];
      if (take('^')) parts.push(asserting((before) => before <= lines));
      else if (take('$')) parts.push(asserting((_, after) => after <= lines));
      else if (escaped === '\\b' || escaped === '\\B') {
        at += 2;
        parts.push(
          asserting((before, after) => ((before === WORD) !== (after === WORD)) === (escaped === '\\b')),
        );
      } else parts.push(quantified());
    }
    // What has no states matches the empty text alone.
    const full = parts.filter(([size]) => size);
    if (full.length === 1) return full[0]!;
    const size = full.reduce((sum, [size]) => sum + size, 0);
    const build = (next: number): number => full.reduceRight((first, [, build]) => build(first), next);
    return [size, build, full.every(([, , passes]) => passes)];
  };

  const alternation = (): Part => {
    const parts = [branch()];
    while (take('|')) parts.push(branch());
    const full = parts.filter(([size]) => size);
    const passes = full.some(([, , passes]) => passes);
    // An empty branch, unless another can be passed over anyway.
    if (full.length < parts.length && !passes) return repeat(oneOf(full, passes), 0, 1);
    return oneOf(full, passes);
  };
  const oneOf = (parts: readonly Part[], passes: boolean): Part =>
    parts.length === 1
      ? parts[0]!
      : [
          parts.reduce((sum, [size]) => sum + size, 0),
          (next) => (parts.length ? add(parts.map(([, build]) => build(next))) : next),
          passes,
        ];

  expect(at < chars.length && chars.length <= MAX_LENGTH);
  const [size, build] = alternation();
  expect(at === chars.length && size <= MAX_SIZE);
  return () => createAutomaton(nodes, build(0));
}

/** Where a pattern leaves the dialect, as an index in code points; -1 when it is valid. */
export function patternFault(source: string): number {
  try {
    createBuilder(source);
    return -1;
  } catch (fault) {
    if (typeof fault === 'number') return fault;
    // The machine's, such as a stack that is full: it says nothing of the pattern.
    throw fault;
  }
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
  return isPatternValid(source) ? createBuilder(source)() : undefined;
}
