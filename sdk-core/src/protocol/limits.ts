/** Limits of the evaluator. This file imports nothing, so that bundlers write the numbers where they are used. */

/** Limits of a pattern: its code points, its states that count, and the repetitions of one quantifier (EV-94, EV-99, EV-100). */
export const MAX_PATTERN_LENGTH = 512;
export const MAX_PATTERN_STATES = 10_000;
export const MAX_PATTERN_REPEATS = 1_000;

/** How many texts a condition remembers the answer for, and how long each may be. */
export const KNOWN_TEXTS = 1_000;
export const KNOWN_LENGTH = 256;
