// Apart, since a bundler writes constants into their places only if nothing is imported before them.
/** An exposure is told once an hour. */
export const HOUR_MS = 3_600_000;
/** Keeps the server's limit for properties, and a batch of the default length within all of its other limits. */
export const MAX_LINE_LENGTH = 4096;
/** Most exposures that are remembered. */
export const MAX_EXPOSED = 10_000;
/** The server's limit for keys of flags and users and names of events. */
export const MAX_NAME_LENGTH = 1024;
