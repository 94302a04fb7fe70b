/** The database cannot be read or written at the moment; retrying may help. The cause says why. */
export class DatabaseUnavailable extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';
}
