/** The database cannot be asked now, or not be written to; the cause says why. */
export class DatabaseUnavailable extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';
}
