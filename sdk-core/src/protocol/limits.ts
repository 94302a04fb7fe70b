/**
 * What is limited, and how. Apart, because a bundler writes a constant's number where it is used only if no import
 * stands in front of it.
 */

/** Of a pattern: code points, states that count, and repetitions (EV-94, EV-99 and EV-100). */
export const MAX_PATTERN_LENGTH = 512;
export const MAX_PATTERN_STATES = 10_000;
export const MAX_PATTERN_REPEATS = 1_000;

/** Texts that one condition remembers the answer for, and how long they may be (decisions/0009). */
export const KNOWN_TEXTS = 1_000;
export const KNOWN_LENGTH = 256;
