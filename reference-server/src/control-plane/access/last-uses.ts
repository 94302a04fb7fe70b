import { DatabaseUnavailable } from '../../storage/unavailable.ts';

/**
 * Stores when a session or token was last used. Starts the write and returns at once, because a request must not wait for
 * it. At most one write of an id runs at a time; a failed one is tried again at the next use.
 */
export type RecordLastUse = (id: string, write: () => Promise<void>) => void;

/** `onError` receives failures, except that the database is read-only, full, locked or away. */
export function createRecordLastUse(onError: (error: unknown) => void): RecordLastUse {
  const running = new Set<string>();
  return (id, write) => {
    if (running.has(id)) return;
    running.add(id);
    write()
      .catch((error: unknown) => {
        if (!(error instanceof DatabaseUnavailable)) onError(error);
      })
      .finally(() => running.delete(id));
  };
}
