/** What a prepared condition asks, as a number; apart for the same reason as `bounds.ts`. */

/** The positive operators, by their place in `OPERATORS`; the negative twins of the first three stand behind them. */
export const IS = 0;
export const CONTAINS = 2;
export const ONE_OF = 4;
export const GT = 6;
export const LT = 7;
export const MATCHES_REGEX = 8;
export const VERSION_GT = 9;
/** No operators. */
export const NEVER = -1;
export const SEGMENT = -2;
