/**
 * Walks the automaton of a pattern over a text: yes or no, linear in the text. The sets of nodes that are alive
 * are cached as they are met (a lazy deterministic automaton), and what is cached is bounded.
 */

/** Which code points a node takes. */
export type Chars = (code: number) => boolean;
/** What a node asks of the place it stands at: what is before, and what behind. */
export type Assertion = (before: number, after: number) => boolean;

/** A node takes a code point, or asserts something, or neither; then the nodes in `ways` are alive. Node 0 is the match. */
export interface Node {
  readonly ways: number[];
  readonly takes: Chars | undefined;
  readonly asserts: Assertion | undefined;
}

/** What stands on one side of a place in the text. Lines begin and end at `NEWLINE` and below. */
const EDGE = 0;
const NEWLINE = 1;
export const WORD = 2;
const OTHER = 3;

/** The next state by code point plus one; at 0, if the text ends. An array alone, for the speed of the walk. */
type State = State[];

/** Nodes of all states that are cached, before the cache is emptied; and of one that is still worth it. */
const CACHE_LIMIT = 100_000;
const STATE_LIMIT = 500;

export const isLetter: Chars = (code) => (code | 32) > 96 && (code | 32) < 123;
export const isDigit: Chars = (code) => code > 47 && code < 58;
export const isWord: Chars = (code) => isDigit(code) || isLetter(code) || code === 95;

const sideOf = (code: number): number =>
  code < 0 ? EDGE : code === 10 ? NEWLINE : isWord(code) ? WORD : OTHER;

/** The automaton's question: does the pattern match anywhere in the text? */
export function createAutomaton(nodes: readonly Node[], start: number): (text: string) => boolean {
  const looksAround = nodes.some(({ asserts }) => asserts);
  const begin: State = [];
  const accept: State = [];
  /** Of each state, the nodes that are alive and what is before. */
  let about = new Map<State, readonly [alive: readonly number[], before: number]>();
  let known = new Map<string, State>();
  let size = CACHE_LIMIT;
  /** The step that has last met a node, and the one that has last left it alive; in an hour there are 2^31 steps. */
  const met = new Float64Array(nodes.length);
  const left = new Float64Array(nodes.length);
  let steps = 0;

  /** The state behind `code`; -1 is the end of the text. */
  const step = (state: State, code: number): State => {
    const [from, before] = about.get(state) ?? [[start], EDGE];
    const side = sideOf(code);
    const open = [...from];
    const alive = [start];
    let next: State | undefined;
    steps++;
    left[start] = steps;
    for (let i = 0; i < open.length; i++) {
      const { ways, takes, asserts } = nodes[open[i]!]!;
      if (!open[i]) next = accept;
      if (takes ? !side || !takes(code) : asserts && !asserts(before, side)) continue;
      const marks = takes ? left : met;
      for (let j = 0; j < ways.length; j++) {
        const way = ways[j]!;
        if (marks[way] !== steps) (takes ? alive : open).push(way);
        marks[way] = steps;
      }
    }
    if (size >= CACHE_LIMIT) {
      size = begin.length = 0;
      about = new Map();
      known = new Map();
    }
    const behind = looksAround ? side : EDGE;
    const key = alive.length < STATE_LIMIT ? `${behind}:${alive}` : '';
    next ??= known.get(key);
    if (!next) {
      next = [];
      about.set(next, [alive, behind]);
      if (key) known.set(key, next);
    }
    if (next === accept || key) state[code + 1] = next;
    size += alive.length;
    return next;
  };

  return (text) => {
    let state = begin;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      if (code > 0xd7ff) {
        code = text.codePointAt(i)!;
        if (code > 0xffff) i++;
      }
      state = state[code + 1] ?? step(state, code);
      if (state === accept) return true;
    }
    return (state[0] ?? step(state, -1)) === accept;
  };
}
