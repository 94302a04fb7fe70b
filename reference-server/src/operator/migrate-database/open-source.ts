import type Sqlite from 'better-sqlite3';
import { FileInUse, openAlone } from '../../storage/sqlite-file.ts';
import { Refusal } from '../command.ts';
import { rethrowFault } from '../faults.ts';

/** Opens a source. Throws Refusal if a server uses it. */
export function openSource(file: string): Sqlite.Database {
  try {
    return openAlone(file);
  } catch (error) {
    if (!(error instanceof FileInUse)) return rethrowFault(error, `Opening ${file}`);
    throw new Refusal(
      `${error.message}. Stop the server, so that no change gets lost, and run the command again.`,
    );
  }
}
