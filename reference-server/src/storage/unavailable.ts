/** The database cannot be read or written at the moment; retrying may help. The cause says why. */
export class DatabaseUnavailable extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** Waits for a write that a read can do without. Ignores that the database is read-only, full, locked or away. */
export async function unlessUnavailable(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error;
  });
}
