// This module has no imports, because bundlers inline constants only from such modules.
/** Maximum length of the cached text, in characters of two bytes: 1 MiB. */
export const MAX_KEPT_LENGTH: number = 2 ** 19;
/** Maximum age of cached answers: 7 days. */
export const MAX_KEPT_MS: number = 7 * 86_400_000;
