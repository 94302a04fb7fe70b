// In a module without imports, because bundlers only inline constants from those.
/** An exposure is reported once an hour. */
export const HOUR_MS = 3_600_000;
/** A longer event is dropped. Keeps the server's limit for properties, and in a default batch all its other limits. */
export const MAX_EVENT_LENGTH = 4096;
/** Exposures that are remembered. */
export const MAX_EXPOSURES = 10_000;
/** The server's limit for flag keys, user keys and event names. */
export const MAX_NAME_LENGTH = 1024;
