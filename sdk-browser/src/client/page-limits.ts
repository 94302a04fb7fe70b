// In a module without imports, because bundlers only inline constants from those.
/** Longest text that is kept in storage, in characters of two bytes: 1 MiB. */
export const MAX_KEPT_LENGTH: number = 2 ** 19;
/** Older answers are not served from storage: 7 days. */
export const MAX_KEPT_MS: number = 7 * 86_400_000;
