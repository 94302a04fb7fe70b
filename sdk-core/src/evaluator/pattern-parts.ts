/** The parts of a pattern, and how they build the nodes of an automaton (Thompson's construction). */
import type { Assertion, Chars } from './automaton.ts';

/** Adds a node and returns its index. */
export type AddNode = (next: number[], takes?: Chars, asserts?: Assertion) => number;

/**
 * A part of a pattern. Making a part optional adds no nodes if it can already be skipped, and repeating it adds none if
 * it is already a loop, so the number of nodes stays proportional to the size.
 */
export interface Part {
  /** Adds the part's nodes in front of the node `next`, and returns the first of them. */
  readonly build: (add: AddNode, next: number) => number;
  /** The number of the part's states: characters, classes and assertions, times their repetitions. */
  readonly size: number;
  /** True if the part can match without a character or an assertion. */
  readonly canSkip?: boolean | undefined;
  /** True if the part is a loop, so that repeating it changes nothing. */
  readonly isLoop?: boolean;
}

/** Matches the empty text. */
export const EMPTY: Part = { build: (_add, next) => next, size: 0, canSkip: true };

/** A part with one state. */
export const single = (takes?: Chars, asserts?: Assertion): Part => ({
  build: (add, next) => add([next], takes, asserts),
  size: 1,
});

/** Matches one part after the other. */
export const sequence = (first: Part, second: Part): Part => {
  if (first === EMPTY) return second;
  if (second === EMPTY) return first;
  return {
    build: (add, next) => first.build(add, second.build(add, next)),
    size: first.size + second.size,
    canSkip: first.canSkip && second.canSkip,
  };
};

/** Matches one part or the other. */
export const either = (first: Part, second: Part): Part => {
  if (first === EMPTY) return repeat(second, 0, 1);
  if (second === EMPTY) return repeat(first, 0, 1);
  return {
    build: (add, next) => add([first.build(add, next), second.build(add, next)]),
    size: first.size + second.size,
    canSkip: first.canSkip || second.canSkip,
  };
};

/** Matches a part `min` to `max` times; `max` may be infinite. */
export const repeat = (part: Part, min: number, max: number): Part => {
  const { build, size, canSkip, isLoop } = part;
  const isOpen = max === Infinity;
  const copies = isOpen ? min || 1 : max;
  if (part === EMPTY || max === 0) return EMPTY;
  if (isLoop && isOpen && min < 2) return repeat(part, min, 1);
  if (max === 1 && (min === 1 || canSkip)) return part;
  return {
    build(add, next) {
      let first = next;
      let left = copies;
      if (isOpen) {
        const targets = [next];
        const loop = add(targets);
        const body = build(add, loop);
        targets.push(body);
        first = min ? body : loop;
        left--;
      }
      for (; left > 0; left--) first = left > min ? add([build(add, first), next]) : build(add, first);
      return first;
    },
    size: size * copies,
    canSkip: canSkip || min === 0,
    isLoop: isOpen && min < 2,
  };
};
