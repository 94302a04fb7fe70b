/** Limits of the evaluator. This file imports nothing, so that bundlers inline the numbers. */

/** Limits of a pattern: code points, states, and repetitions of one quantifier (EV-94, EV-99, EV-100). */
export const MAX_PATTERN_LENGTH = 512;
export const MAX_PATTERN_STATES = 10_000;
export const MAX_PATTERN_REPEATS = 1_000;

/** Maximum number of texts for which a condition caches its answer, and maximum length of such a text. */
export const KNOWN_TEXTS = 1_000;
export const KNOWN_LENGTH = 256;
