/**
 * Walks the automaton of a pattern over a text: yes or no, linear in the text. The sets of nodes that are alive
 * are cached as they are met (a lazy deterministic automaton), and what all patterns together cache is bounded.
 */

/** Which code points a node takes. */
export type Chars = (code: number) => boolean;
/** What a node asks of the place it stands at: what is before, and what behind. */
export type Assertion = (before: number, after: number) => boolean;

/** A node takes a code point, or asserts something, or neither; then the nodes in `ways` are alive. Node 0 is the match. */
export type Node = readonly [ways: number[], takes?: Chars | undefined, asserts?: Assertion | undefined];

/** What stands on one side of a place in the text. Lines begin and end at `NEWLINE` and below. */
const EDGE = 0;
const NEWLINE = 1;
export const WORD = 2;
const OTHER = 3;

/**
 * The nodes that are alive and what is before; then the next states, by code point from `NEXT` on, and in front of them
 * the one if the text ends. An array alone, for the speed of the walk.
 */
type State = [alive: readonly number[], before: number, ...next: State[]];
const NEXT = 3;

/**
 * What all patterns together may cache, before every cache is emptied: next states and nodes alive, some 50 bytes each.
 * The first of a state's next states counts for a hundred, because its array has a place for each code point up to the
 * last that it met. A state of more nodes than `STATE_LIMIT` is not cached.
 */
const CACHE_LIMIT = 1_000_000;
const STATE_SIZE = 100;
const STATE_LIMIT = 500;

let size = 0;
/** The caches that hold something: the first state of each pattern, and those that were met. */
const filled = new Map<State, Map<string, State>>();

export const isLetter: Chars = (code) => (code | 32) > 96 && (code | 32) < 123;
export const isDigit: Chars = (code) => code > 47 && code < 58;
export const isWord: Chars = (code) => isDigit(code) || isLetter(code) || code === 95;

export const isSpace: Chars = (code) => code === 32 || (code > 8 && code < 14 && code !== 11);

const sideOf = (code: number): number =>
  code < 0 ? EDGE : code === 10 ? NEWLINE : isWord(code) ? WORD : OTHER;

/** The automaton's question: does the pattern match anywhere in the text? */
export function createAutomaton(nodes: readonly Node[], start: number): (text: string) => boolean {
  const looksAround = nodes.some(([, , asserts]) => asserts);
  const begin: State = [[], EDGE];
  const accept: State = [[], EDGE];
  const known = new Map<string, State>();

  /** The state behind `code`; -1 is the end of the text. */
  const step = (state: State, code: number): State => {
    const [from, before] = state;
    const side = sideOf(code);
    const open = [...from, start];
    const alive: number[] = [];
    /** Of each node, whether it was opened (1) and whether it was left alive (2). */
    const marks = new Uint8Array(nodes.length);
    let next: State | undefined;
    // Walks those that it opens, too.
    for (const node of open) {
      const [ways, takes, asserts] = nodes[node]!;
      if (!node) next = accept;
      if (takes ? !takes(code) : asserts && !asserts(before, side)) continue;
      const mark = takes ? 2 : 1;
      for (const way of ways) {
        if (!(marks[way]! & mark)) (takes ? alive : open).push(way);
        marks[way]! |= mark;
      }
    }
    if (size > CACHE_LIMIT) {
      size = 0;
      for (const [first, met] of filled) {
        first.length = NEXT - 1;
        met.clear();
      }
      filled.clear();
    }
    if (!next) {
      const behind = looksAround ? side : EDGE;
      if (alive.length >= STATE_LIMIT) return [alive, behind];
      const key = `${behind}:${alive}`;
      next = known.get(key) ?? [alive, behind];
      known.set(key, next);
    }
    filled.set(begin, known);
    size += alive.length + (state.length > NEXT ? 1 : STATE_SIZE);
    state[code + NEXT] = next;
    return next;
  };

  return (text) => {
    let state = begin;
    for (let i = 0; i < text.length; i++) {
      const code = text.codePointAt(i)!;
      if (code > 0xffff) i++;
      state = (state[code + NEXT] as State) ?? step(state, code);
      if (state === accept) return true;
    }
    return (state[NEXT - 1] ?? step(state, -1)) === accept;
  };
}
