// This module has no imports, because bundlers inline constants only from such modules.
/** An exposure is reported at most once in this time: an hour. */
export const HOUR_MS = 3_600_000;
/**
 * A longer event is dropped. This keeps an event within the server's limit for properties, and a batch of the default
 * length within the server's other limits.
 */
export const MAX_EVENT_LENGTH = 4096;
/** Maximum number of exposures that are remembered. */
export const MAX_EXPOSURES = 10_000;
/** The server's limit for flag keys, user keys and event names, in characters. */
export const MAX_NAME_LENGTH = 1024;
