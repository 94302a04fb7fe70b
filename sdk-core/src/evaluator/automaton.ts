/**
 * Runs the automaton of a pattern over a text, in time linear in the text. Sets of live nodes are cached as they occur (a
 * lazy deterministic automaton). One limit applies to the caches of all patterns together.
 */

/** Tests whether a node consumes a code point. */
export type Chars = (code: number) => boolean;
/**
 * Tests an assertion at a position in the text, given what is before and after it: `EDGE`, `NEWLINE`, `WORD` or
 * `OTHER`.
 */
export type Assertion = (before: number, after: number) => boolean;

/**
 * A node consumes a code point, tests an assertion, or does neither; then the nodes in `next` are live. Reaching node 0
 * is a match.
 */
export type Node = readonly [next: number[], takes?: Chars | undefined, asserts?: Assertion | undefined];

/**
 * What is on one side of a position. `^` and `$` hold at the edge of the text and, in multiline patterns, at a newline
 * too.
 */
export const EDGE = 0;
export const NEWLINE = 1;
export const WORD = 2;
const OTHER = 3;

/**
 * A state: its live nodes, what is before the position, and the next states. The next state for a code point is at the
 * index `NEXT` + code point, and the one for the end of the text at `NEXT` - 1. A single array makes the walk over the
 * text fast.
 */
type State = [live: readonly number[], before: number, ...next: State[]];
const NEXT = 3;

/**
 * Limit of all caches together, in next states and live nodes of about 50 bytes each; beyond it every cache is emptied.
 * The first next state that a state gets counts as `STATE_SIZE`, because the array of the state then grows up to the
 * code point. A state of `STATE_LIMIT` nodes or more is not cached.
 */
const CACHE_LIMIT = 1_000_000;
const STATE_SIZE = 100;
const STATE_LIMIT = 500;

let cacheSize = 0;
/** The caches in use: for the first state of each pattern, the pattern's states by content. */
const caches = new Map<State, Map<string, State>>();

export const isLetter: Chars = (code) => (code | 32) > 96 && (code | 32) < 123;
export const isDigit: Chars = (code) => code > 47 && code < 58;
export const isWord: Chars = (code) => isDigit(code) || isLetter(code) || code === 95;

export const isSpace: Chars = (code) => code === 32 || (code > 8 && code < 14 && code !== 11);

const sideOf = (code: number): number =>
  code < 0 ? EDGE : code === 10 ? NEWLINE : isWord(code) ? WORD : OTHER;

/** Returns a function that tests whether the pattern matches anywhere in a text. */
export const createAutomaton = (nodes: readonly Node[], start: number): ((text: string) => boolean) => {
  const hasAssertions = nodes.some(([, , asserts]) => asserts);
  const first: State = [[], EDGE];
  const match: State = [[], EDGE];
  const known = new Map<string, State>();

  /** The state after the code point `code`; -1 stands for the end of the text. */
  const step = (state: State, code: number): State => {
    const [live, before] = state;
    const after = sideOf(code);
    const open = [...live, start];
    const nextLive: number[] = [];
    /** Per node, whether it was opened (1) and whether it was added to the next live nodes (2). */
    const marks = new Uint8Array(nodes.length);
    let nextState: State | undefined;
    // The loop also visits nodes that it opens itself.
    for (const node of open) {
      const [next, takes, asserts] = nodes[node]!;
      if (node === 0) nextState = match;
      if (takes ? !takes(code) : asserts && !asserts(before, after)) continue;
      const mark = takes ? 2 : 1;
      for (const target of next) {
        if (!(marks[target]! & mark)) (takes ? nextLive : open).push(target);
        marks[target]! |= mark;
      }
    }
    if (cacheSize > CACHE_LIMIT) emptyCaches();
    if (!nextState) {
      const side = hasAssertions ? after : EDGE;
      if (nextLive.length >= STATE_LIMIT) return [nextLive, side];
      const key = `${side}:${nextLive}`;
      nextState = known.get(key) ?? [nextLive, side];
      known.set(key, nextState);
    }
    caches.set(first, known);
    cacheSize += nextLive.length + (state.length > NEXT ? 1 : STATE_SIZE);
    state[code + NEXT] = nextState;
    return nextState;
  };

  return (text) => {
    let state = first;
    for (let i = 0; i < text.length; i++) {
      const code = text.codePointAt(i)!;
      if (code > 0xffff) i++;
      state = (state[code + NEXT] as State) ?? step(state, code);
      if (state === match) return true;
    }
    return (state[NEXT - 1] ?? step(state, -1)) === match;
  };
};

const emptyCaches = (): void => {
  cacheSize = 0;
  for (const [first, known] of caches) {
    first.length = NEXT - 1;
    known.clear();
  }
  caches.clear();
};
