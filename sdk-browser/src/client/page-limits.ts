// Apart, since a bundler writes constants into their places only if nothing is imported before them.
/** Longest text that is kept in storage; two bytes a character. */
export const MAX_KEPT_LENGTH: number = 2 ** 19;
/** Older answers are not served from storage. */
export const MAX_KEPT_MS: number = 7 * 86_400_000;
